// External ids: their scope, PUT by external id, and that concurrent requests create only one record.
import { expect, inject, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import type { Json } from '../../support/gamification/sync.ts';
import {
  createDeal,
  createLead,
  createUser,
  expectData,
  faultOf,
  followEvents,
  newEmail,
  statusesOf,
} from '../../support/records/record-flows.ts';
import { createRecordsTenant, createToken, records } from '../../support/records/records.ts';
import { createPlan } from '../../support/records/records-furnish.ts';
import { newWebhook } from '../../support/records/records-routes.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const at = (kind: string, external: string) => `/${kind}/external/${encodeURIComponent(external)}`;

const kinds = [
  ['leads', () => ({ name: 'Ana', email: newEmail() })],
  ['deals', () => ({ name: 'Plan', value: 10 })],
  ['users', () => ({ name: 'Rui', email: newEmail(), role: 'manager' })],
] as const;

test.each(kinds)(
  '%s: PUT creates one, then changes it, and repeating it changes nothing',
  async (kind, body) => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const events = followEvents(sql, tenantId);
    const [one] = [kind.slice(0, -1)];
    for (const external of [
      'crm-5',
      'Ção/π 100% "a" #?&+',
      'x'.repeat(255),
      '😀'.repeat(255),
      'CRM-5',
      '%2F',
    ]) {
      const first = body();
      const made = await records(token, 'PUT', at(kind, external), { ...first, external_id: external });
      expect([made.status, made.body.data?.external_id]).toEqual([201, external]);
      expect(await events.types()).toEqual([`${one}.created`]);
      expect((await records(token, 'GET', at(kind, external))).body.data).toMatchObject(made.body.data);
      const listed = await records(token, 'GET', `/${kind}?external_id=${encodeURIComponent(external)}`);
      expect(listed.body.data).toEqual([made.body.data]);

      const changed = await records(token, 'PUT', at(kind, external), { name: 'Bia' });
      expect([changed.status, changed.body.data.name, changed.body.data.id]).toEqual([
        200,
        'Bia',
        made.body.data.id,
      ]);
      expect(await events.types()).toEqual([`${one}.updated`]);
      const same = await records(token, 'PUT', at(kind, external), { ...first, name: 'Bia' });
      expect([same.status, same.body.data, same.headers.get('etag')]).toEqual([
        200,
        changed.body.data,
        changed.headers.get('etag'),
      ]);
      expect(await events.types()).toEqual([]);
    }
    const logged = await sql`
    select status from request_log where tenant_id = ${tenantId} and method = 'PUT' order by at`;
    expect(logged.slice(0, 3).map(({ status }) => status)).toEqual([201, 200, 200]);
  },
);

test.each(kinds)(
  '%s: the body is that of POST for a new record, and that of PATCH for an existing one',
  async (kind, body) => {
    const { token } = await createRecordsTenant(sql);
    const missing = await records(token, 'PUT', at(kind, 'a'), { phone: '1' });
    expect(faultOf(missing)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(faultOf(missing).fields).toContain('name');
    for (const other of ['b', null, 7]) {
      const reply = await records(token, 'PUT', at(kind, 'a'), { ...body(), external_id: other });
      expect(faultOf(reply)).toEqual({ status: 400, code: 'VALIDATION_ERROR', fields: ['external_id'] });
    }
    for (const bad of ['%00', '%0A', '%20', 'x'.repeat(256), '%ff']) {
      for (const method of ['GET', 'PUT']) {
        const reply = await records(
          token,
          method,
          `/${kind}/external/${bad}`,
          method === 'PUT' ? body() : undefined,
        );
        expect([bad, faultOf(reply).status]).toEqual([bad, bad === '%ff' ? expect.any(Number) : 400]);
      }
    }
    expect(faultOf(await records(token, 'GET', at(kind, 'nobody')))).toMatchObject({ status: 404 });
    for (const bad of ['', ' ', 'a\nb', 'x'.repeat(256), 7]) {
      const reply = await records(token, 'POST', `/${kind}`, { ...body(), external_id: bad });
      expect(faultOf(reply)).toMatchObject({ status: 400, fields: ['external_id'] });
    }
    expect((await records(token, 'GET', `/${kind}?external_id=${'x'.repeat(256)}`)).status).toBe(400);
    expect((await records(token, 'PUT', at(kind, 'a'), body())).status).toBe(201);
    const wrong = await records(token, 'PUT', at(kind, 'a'), { name: 3 });
    expect(faultOf(wrong)).toMatchObject({ status: 400, fields: ['name'] });
  },
);

test.each(kinds)(
  '%s: POST and PATCH can set one, and one that is taken returns 409 with its record',
  async (kind, body) => {
    const { token } = await createRecordsTenant(sql);
    const first = await expectData(token, 'POST', `/${kind}`, 201, { ...body(), external_id: 'a' });
    const second = await expectData(token, 'POST', `/${kind}`, 201, body());
    const path = `/${kind}/${second.id}`;
    for (const [method, address, sent] of [
      ['POST', `/${kind}`, { ...body(), external_id: 'a' }],
      ['PATCH', path, { external_id: 'a' }],
    ] as const) {
      const taken = await records(token, method, address, sent);
      expect(faultOf(taken)).toEqual({ status: 409, code: 'CONFLICT', fields: ['external_id'] });
      expect(taken.body.error.existing_id).toBe(first.id);
    }
    const before = await records(token, 'GET', path);
    const named = await records(token, 'PATCH', path, { external_id: 'b' });
    expect(named.body.data).toEqual({ ...second, external_id: 'b' });
    expect(named.headers.get('etag')?.split('.')[0]).toBe(before.headers.get('etag')?.split('.')[0]);
    expect(named.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect((await records(token, 'PATCH', path, { external_id: 'c' })).body.data.external_id).toBe('c');
    expect((await records(token, 'GET', at(kind, 'b'))).status).toBe(404);
    expect((await records(token, 'PATCH', path, { external_id: null })).body.data.external_id).toBeNull();
    expect((await records(token, 'GET', at(kind, 'c'))).status).toBe(404);

    await records(token, 'DELETE', `/${kind}/${first.id}`);
    const deactivated = kind === 'users';
    expect((await records(token, 'GET', at(kind, 'a'))).status).toBe(deactivated ? 200 : 404);
    if (deactivated) await records(token, 'DELETE', `/${kind}/${first.id}?permanent=true`);
    expect((await records(token, 'PUT', at(kind, 'a'), body())).status).toBe(201);
  },
);

test('one that a path cannot contain, and a path that is not encoded, return 400', async () => {
  const { token } = await createRecordsTenant(sql);
  for (const id of ['.', '..']) {
    const made = await records(token, 'POST', '/leads', {
      name: 'Ana',
      email: 'a@example.com',
      external_id: id,
    });
    expect(faultOf(made)).toEqual({ status: 400, code: 'VALIDATION_ERROR', fields: ['external_id'] });
  }
  for (const id of ['%zz', 'caf%E9', '%ED%A0%80']) {
    const put = await records(token, 'PUT', `/leads/external/${id}`, { name: 'Ana', email: 'a@example.com' });
    expect(faultOf(put)).toEqual({ status: 400, code: 'VALIDATION_ERROR', fields: ['external_id'] });
  }
  const right = await records(token, 'PUT', '/leads/external/%25zz', { name: 'Ana', email: 'a@example.com' });
  expect([right.status, right.body.data.external_id]).toEqual([201, '%zz']);
  expect((await records(token, 'GET', '/leads/external/%25zz')).status).toBe(200);
});

test('a client sees and finds only its own, and so do its webhooks', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const other = await createToken(sql, tenantId, { variant: 'b' });
  const foreign = await createRecordsTenant(sql);
  const webhooks = await Promise.all(
    [token, other.token].map((one) =>
      expectData(one, 'POST', '/webhooks', 201, {
        ...newWebhook(),
        events: ['lead.created', 'lead.deleted'],
      }),
    ),
  );
  const lead = await expectData(token, 'PUT', at('leads', 'mine'), 201, { name: 'Ana', email: newEmail() });
  expect((await expectData(other.token, 'GET', `/leads/${lead.id}`, 200)).external_id).toBeNull();
  for (const one of [other.token, foreign.token]) {
    expect((await records(one, 'GET', at('leads', 'mine'))).status).toBe(404);
    expect((await records(one, 'GET', '/leads?external_id=mine')).body.data).toEqual([]);
  }
  expect((await records(other.token, 'PATCH', `/leads/${lead.id}`, { external_id: 'theirs' })).status).toBe(
    200,
  );
  await expectData(foreign.token, 'PUT', at('leads', 'mine'), 201, { name: 'Ana', email: newEmail() });
  expect((await expectData(token, 'GET', `/leads/${lead.id}`, 200)).external_id).toBe('mine');
  await records(token, 'DELETE', `/leads/${lead.id}`);
  const log = (one: string, { id }: Json) =>
    waitFor(async () => {
      const { data } = (await records(one, 'GET', `/webhooks/${id}/deliveries?sort=created_at`)).body;
      return data.length === 2 && data.map(({ payload }: Json) => payload.data.external_id);
    });
  expect(await log(token, webhooks[0])).toEqual(['mine', 'mine']);
  expect(await log(other.token, webhooks[1])).toEqual([null, 'theirs']);
  expect(await log(other.token, webhooks[0])).toEqual([null, null]);
  const received = await waitFor(async () => {
    const all: Json[] = await (await fetch(inject('stack').inbox_url)).json();
    const own = all.filter(({ path }) => webhooks[1].url.endsWith(path));
    return own.length === 2 && own.map(({ body }) => JSON.parse(body).data.external_id);
  });
  // In the order of arrival, whichever that is.
  expect(new Set(received)).toEqual(new Set([null, 'theirs']));
});

test("a lead with another lead's email returns 409 with that lead, which is unchanged", async () => {
  const { token } = await createRecordsTenant(sql);
  const lead = await createLead(token);
  const reply = await records(token, 'PUT', at('leads', 'x'), { name: 'B', email: lead.email });
  expect(faultOf(reply)).toMatchObject({ status: 409, fields: ['email'] });
  expect(reply.body.error.existing_id).toBe(lead.id);
  expect((await records(token, 'GET', at('leads', 'x'))).status).toBe(404);
});

test('PUT respects its conditions', async () => {
  const { token } = await createRecordsTenant(sql);
  const put = (body: object, headers: Record<string, string>) =>
    records(token, 'PUT', at('deals', 'x'), body, { headers });
  const body = { name: 'Plan', value: 1 };
  expect(faultOf(await put({ name: 3 }, { 'If-Match': '"x"' }))).toMatchObject({ status: 400 });
  expect(faultOf(await put(body, { 'If-Match': '*' }))).toMatchObject({ status: 412 });
  const made = await put(body, { 'If-None-Match': '*' });
  expect(made.status).toBe(201);
  const tag = made.headers.get('etag') ?? '';
  for (const headers of [{ 'If-None-Match': '*' }, { 'If-Match': '"x"' }]) {
    const refused = await put({ ...body, value: 2 }, headers);
    expect([refused.status, refused.body.error.current, refused.headers.get('etag')]).toEqual([
      412,
      made.body.data,
      tag,
    ]);
  }
  expect((await put({ value: 2 }, { 'If-Match': tag })).status).toBe(200);
  expect((await put({ value: 3 }, { 'If-Match': tag })).status).toBe(412);
});

test('of a thousand concurrent requests for one external id, one creates it', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql, { plan: await createPlan(sql) });
  const email = newEmail();
  const replies = await Promise.all(
    Array.from({ length: 1000 }, (_, index) =>
      waitFor(async () => {
        const reply = await records(token, 'PUT', at('leads', 'one'), { name: `Ana ${index % 7}`, email });
        // A tenant can use only its share of connections. The other requests are retried, as their responses ask.
        return [429, 503].includes(reply.status) ? undefined : reply;
      }),
    ),
  );
  expect(statusesOf(replies)).toEqual([...Array(999).fill(200), 201]);
  expect(new Set(replies.map(({ body }) => body.data.id)).size).toBe(1);
  const [count] = await sql`select count(*)::integer as n from leads where tenant_id = ${tenantId}`;
  expect(count?.n).toBe(1);
});

test('of sixteen concurrent requests one creates it, repeatedly, with open connections', async () => {
  const { token } = await createRecordsTenant(sql, { plan: await createPlan(sql) });
  const sixteen = Array.from({ length: 16 }, (_, index) => index);
  await Promise.all(sixteen.map(() => records(token, 'GET', '/deals')));
  for (let round = 0; round < 20; round++) {
    const put = (index: number) =>
      records(token, 'PUT', at('deals', `r${round}`), { name: 'Plan', value: index });
    expect(statusesOf(await Promise.all(sixteen.map(put)))).toEqual([...Array(15).fill(200), 201]);
  }
});

test('concurrent PUT and POST of one external id and one email never deadlock', async () => {
  const { token } = await createRecordsTenant(sql, { plan: await createPlan(sql) });
  for (let round = 0; round < 8; round++) {
    const body = { name: 'Ana', email: newEmail() };
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        index % 2
          ? records(token, 'PUT', at('leads', `r${round}`), body)
          : records(token, 'POST', '/leads', { ...body, external_id: `r${round}` }),
      ),
    );
    expect(statusesOf(replies).filter((status) => status === 201)).toHaveLength(1);
    expect(statusesOf(replies).filter((status) => ![200, 201, 409].includes(status))).toEqual([]);
  }
});

test('external ids move to a successor', async () => {
  const tenant = await createRecordsTenant(sql);
  const { token: next, clientId: to } = await createToken(sql, tenant.id);
  const lead = await createLead(tenant.token, { external_id: 'a' });
  const deal = await createDeal(tenant.token, { external_id: 'a' });
  const user = await createUser(tenant.token, { external_id: 'u' });
  const other = await createLead(next, { external_id: 'a' });
  const move = () => sql`select admin.move_external_ids(${tenant.clientId}, ${to})::integer as moved`;
  await expect(move()).rejects.toThrow('to_client: already uses a for another record');
  await records(next, 'PATCH', `/leads/${other.id}`, { external_id: 'b' });
  await records(next, 'PATCH', `/leads/${lead.id}`, { external_id: 'own' });
  expect((await move())[0]?.moved).toBe(3);
  const found = async (kind: string, id: string) => (await records(next, 'GET', at(kind, id))).body.data?.id;
  expect(await found('leads', 'a')).toBe(lead.id);
  expect(await found('leads', 'own')).toBe(lead.id);
  expect([await found('deals', 'a'), await found('users', 'u')]).toEqual([deal.id, user.id]);
  expect((await records(tenant.token, 'GET', at('leads', 'a'))).status).toBe(404);
  for (const [from, into, field] of [
    ['nobody', to, 'from_client'],
    [to, to, 'to_client'],
    [to, (await createRecordsTenant(sql)).clientId, 'to_client'],
  ] as const) {
    await expect(sql`select admin.move_external_ids(${from}, ${into})`).rejects.toThrow(`${field}: `);
  }
});
