// Persons in records: who they are, and what belongs to clients only.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import type { Json } from '../../support/gamification/sync.ts';
import { createPerson, exchange } from '../../support/persons.ts';
import { createRecordsTenant, createToken, records } from '../../support/records/records.ts';

const sql = connectDatabase();

const lead = () => ({ name: 'Maria', email: `${crypto.randomUUID()}@leads.example` });

test('/users/me is the person, whatever scopes the token has', async () => {
  const { id } = await createRecordsTenant(sql);
  const person = await createPerson(sql, id, { role: 'manager', access: '{read:payments,write:leads}' });
  const scopesOf = async (scope?: string) => {
    const { body } = await exchange(person.authToken, { tenant: id, ...(scope && { scope }) });
    const { status, body: me } = await records(body.access_token, 'GET', '/users/me');
    expect([status, me.data.id, me.data.access]).toEqual([200, person.userId, null]);
    return me.data.scopes;
  };
  expect(await scopesOf()).toEqual(expect.arrayContaining(['self', 'read:payments', 'write:leads']));
  for (const scope of ['self', 'read:payments', 'read:standings write:leads'])
    expect(await scopesOf(scope)).toEqual(scope.split(' '));
  const finance = await createPerson(sql, id, { access: 'finance' });
  const me = await records(finance.token, 'GET', '/users/me');
  expect(me.body.data).toMatchObject({ id: finance.userId, access: 'finance', external_id: null });
  const etag = me.headers.get('etag') ?? '';
  const again = await records(finance.token, 'GET', '/users/me', undefined, {
    headers: { 'If-None-Match': etag },
  });
  expect(again.status).toBe(304);
});

test('/users/me of a client needs read:users, and has neither scopes nor access', async () => {
  const { id } = await createRecordsTenant(sql);
  const { token, clientId } = await createToken(sql, id, { scopes: ['read:users'] });
  const { userId } = await createPerson(sql, id);
  await sql`update oauth_clients set user_id = ${userId} where tenant_id = ${id} and client_id = ${clientId}`;
  const { data } = (await records(token, 'GET', '/users/me')).body;
  expect(data.id).toBe(userId);
  expect(data).not.toHaveProperty('scopes');
  expect(data).not.toHaveProperty('access');
  const other = await createToken(sql, id, { scopes: ['read:leads', 'read:standings'] });
  expect((await records(other.token, 'GET', '/users/me')).status).toBe(403);
});

test('external ids belong to clients: a person sees null and cannot set them', async () => {
  const { id, token } = await createRecordsTenant(sql);
  const person = await createPerson(sql, id, { access: 'admin' });
  const made = await records(token, 'POST', '/leads', { ...lead(), external_id: 'crm-1' });
  const path = `/leads/${made.body.data.id}`;
  expect((await records(person.token, 'GET', path)).body.data.external_id).toBeNull();
  expect((await records(person.token, 'GET', '/leads?external_id=crm-1')).body.data).toEqual([]);
  expect((await records(person.token, 'GET', '/leads/external/crm-1')).status).toBe(404);
  const attempts = [
    ['POST', '/leads', { ...lead(), external_id: 'x' }],
    ['PATCH', path, { external_id: 'x' }],
    ['PUT', '/leads/external/x', lead()],
    ['PUT', '/leads/external/crm-1', { name: 'X' }],
    ['POST', '/users', { name: 'X', email: 'x@people.example', role: 'manager', external_id: 'x' }],
  ] as const;
  for (const [method, target, body] of attempts) {
    const { status, body: answer } = await records(person.token, method, target, body);
    expect([method, target, status, answer.error?.details?.[0].field]).toEqual([
      method,
      target,
      400,
      'external_id',
    ]);
  }
  const batch = await records(person.token, 'POST', '/leads/batch', {
    operations: [
      { method: 'create', external_id: 'x', data: lead() },
      { method: 'create', data: { ...lead(), external_id: 'x' } },
      { method: 'update', external_id: 'crm-1', data: { name: 'X' } },
      { method: 'upsert', external_id: 'x', data: lead() },
      { method: 'create', data: lead() },
    ],
  });
  expect(batch.body.data.results.map(({ status }: Json) => status)).toEqual([400, 400, 400, 400, 201]);
  expect((await records(person.token, 'PATCH', path, { name: 'New', external_id: null })).status).toBe(200);
  expect((await records(token, 'GET', path)).body.data).toMatchObject({ name: 'New', external_id: 'crm-1' });
});

test('activities without an owner belong to the person', async () => {
  const { id } = await createRecordsTenant(sql);
  const person = await createPerson(sql, id, { role: 'manager', access: 'manager' });
  const made = await records(person.token, 'POST', '/activities', { type: 'call', title: 'Alone' });
  expect(made.body.data.owner_id).toBe(person.userId);
  const batch = await records(person.token, 'POST', '/activities/batch', {
    operations: [{ method: 'create', data: { type: 'note', title: 'In a batch' } }],
  });
  expect(batch.body.data.results[0].data.owner_id).toBe(person.userId);
});

test('idempotency keys are those of the person', async () => {
  const { id } = await createRecordsTenant(sql);
  const [ana, bia] = [
    await createPerson(sql, id, { access: 'manager' }),
    await createPerson(sql, id, { access: 'manager' }),
  ];
  const body = lead();
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  const post = (token: string, sent: object) => records(token, 'POST', '/leads', sent, { headers });
  const first = await post(ana.token, body);
  expect(first.status).toBe(201);
  const newToken = (await exchange(ana.authToken, { tenant: id })).body.access_token;
  expect((await post(newToken, body)).body).toEqual(first.body);
  const other = await post(bia.token, lead());
  expect(other.status).toBe(201);
  expect(other.body.data.id).not.toBe(first.body.data.id);
});

test('webhooks of a person belong to the workspace, and stay when the person leaves', async () => {
  const { id, token } = await createRecordsTenant(sql);
  const person = await createPerson(sql, id, { access: 'admin' });
  const made = await records(person.token, 'POST', '/webhooks', {
    url: 'https://hooks.example/placar',
    events: ['lead.created'],
  });
  expect(made.status).toBe(201);
  const [row] = await sql`select client_id from webhook_endpoints where id = ${made.body.data.id}`;
  expect(row?.client_id).toBeNull();
  await sql`update users set status = 'deactivated' where tenant_id = ${id} and id = ${person.userId}`;
  expect((await records(person.token, 'GET', '/webhooks')).status).toBe(401);
  expect((await records(token, 'GET', `/webhooks/${made.body.data.id}`)).body.data.active).toBe(true);
});

test('read:standings opens standings and seasons only', async () => {
  const { id } = await createRecordsTenant(sql);
  const { token } = await createToken(sql, id, { scopes: ['read:standings'] });
  const statusOf = async (path: string) => (await records(token, 'GET', path)).status;
  expect([await statusOf('/standings'), await statusOf('/seasons')]).toEqual([200, 200]);
  for (const path of ['/users', '/users/me', '/missions', '/badges', '/challenges'])
    expect([path, await statusOf(path)]).toEqual([path, 403]);
});
