// Batches: each operation has the same result as a separate request; an atomic batch applies all or none.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import type { Json } from '../../support/gamification/sync.ts';
import {
  createDeal,
  createLead,
  createUser,
  followEvents,
  NOBODY,
  stagesOf,
} from '../../support/records/record-flows.ts';
import { createRecordsTenant, createToken, records } from '../../support/records/records.ts';
import { expectError } from '../../support/records/records-answers.ts';

const sql = connectDatabase();
const email = () => `${crypto.randomUUID()}@example.com`;
const lead = (more: object = {}) => ({ name: 'Ana', email: email(), ...more });
const create = (data: object) => ({ method: 'create', data });

/** The results of a batch, which must respond with 200. */
async function batch(token: string, path: string, operations: unknown[], more: object = {}): Promise<Json[]> {
  const reply = await records(token, 'POST', `${path}/batch`, { operations, ...more });
  expect([reply.status, reply.body]).toEqual([200, reply.body]);
  expect(reply.body.data.results).toHaveLength(operations.length);
  return reply.body.data.results;
}

const statuses = (results: Json[]) => results.map(({ status }) => status);

test('creates, changes, upserts and deletes in order, with the events of each', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const [old, gone] = [await createLead(token), await createLead(token, { external_id: 'gone' })];
  const events = followEvents(sql, tenantId);
  await events.types();
  const results = await batch(token, '/leads', [
    create(lead({ external_id: 'one', tags: ['a'] })),
    { method: 'update', id: old.id, data: { name: 'Bia', status: 'qualified' } },
    { method: 'upsert', external_id: 'two', data: lead() },
    { method: 'upsert', external_id: 'two', data: { name: 'Caio' } },
    { method: 'update', external_id: 'one', data: { tags: ['b'], external_id: 'uno' } },
    { method: 'delete', external_id: 'gone' },
    create(lead({ email: gone.email })),
  ]);
  expect(statuses(results)).toEqual([201, 200, 201, 200, 200, 204, 201]);
  expect(results[5]).toEqual({ status: 204 });
  expect(results[4].data).toMatchObject({ id: results[0].data.id, tags: ['b'], external_id: 'uno' });
  expect(await events.types()).toEqual([
    'lead.created',
    'lead.updated',
    'lead.status_changed',
    'lead.created',
    'lead.updated',
    'lead.updated',
    'lead.deleted',
    'lead.created',
  ]);
  for (const { data } of [results[1], results[3], results[4], results[6]]) {
    const { activities, ...shown } = (await records(token, 'GET', `/leads/${data.id}`)).body.data;
    expect([shown, activities]).toEqual([data, []]);
  }
});

test('a rejected operation does not stop others, and has the same error as a single request', async () => {
  const { token } = await createRecordsTenant(sql);
  const [mine, other] = [await createLead(token, { external_id: 'mine' }), await createLead(token)];
  const converted = await createLead(token);
  await records(token, 'POST', `/leads/${converted.id}/convert`, {});
  const first = lead();
  const results = await batch(token, '/leads', [
    create(first),
    create(lead({ email: first.email })),
    create(lead({ external_id: 'mine' })),
    create(lead({ owner_id: NOBODY })),
    create({ name: 7 }),
    { method: 'update', id: NOBODY, data: { name: 'x' } },
    { method: 'update', id: 'nonsense', data: { name: 'x' } },
    { method: 'update', id: other.id, data: { status: 'converted' } },
    { method: 'update', id: converted.id, data: { status: 'new' } },
    { method: 'update', external_id: 'nobody', data: { name: 'x' } },
    { method: 'update', id: mine.id, if_match: '"x"', data: { name: 'x' } },
    { method: 'update', id: mine.id, if_match: 'x', data: { name: 'x' } },
    { method: 'upsert', external_id: 'new', data: { name: 'without e-mail' } },
    { method: 'upsert', external_id: 'new', if_match: '*', data: lead() },
    { method: 'delete', id: NOBODY },
    { method: 'delete', id: mine.id, if_match: '"20200101000000000000.x"' },
    { method: 'update', id: mine.id, data: { name: 'Mia' } },
    create(lead()),
  ]);
  const said = results.map(({ status, error }) => [
    status,
    error?.code,
    error?.details.map((d: Json) => d.field),
  ]);
  const [invalid, missing, outdated] = ['VALIDATION_ERROR', 'NOT_FOUND', 'PRECONDITION_FAILED'];
  expect(said).toEqual([
    [201, undefined, undefined],
    [409, 'CONFLICT', ['email']],
    [409, 'CONFLICT', ['external_id']],
    [422, 'UNPROCESSABLE_ENTITY', ['owner_id']],
    [400, invalid, ['name', 'email']],
    [404, missing, []],
    [404, missing, []],
    [422, 'UNPROCESSABLE_ENTITY', ['status']],
    [422, 'UNPROCESSABLE_ENTITY', ['status']],
    [404, missing, []],
    [412, outdated, []],
    [400, invalid, ['if_match']],
    [400, invalid, ['email']],
    [412, outdated, []],
    [404, missing, []],
    [412, outdated, []],
    [200, undefined, undefined],
    [201, undefined, undefined],
  ]);
  expect(results[1].error.existing_id).toBe(results[0].data.id);
  expect(results[2].error.existing_id).toBe(mine.id);
  expect(results[10].error.current).toEqual(mine);
});

test('for a merged lead, returns the lead it was merged into', async () => {
  const { token } = await createRecordsTenant(sql);
  const [winner, loser] = [await createLead(token), await createLead(token, { external_id: 'loser' })];
  await records(token, 'POST', `/leads/${winner.id}/merge`, { loser_id: loser.id });
  const results = await batch(token, '/leads', [
    { method: 'update', id: loser.id, data: { name: 'x' } },
    { method: 'delete', id: loser.id },
    { method: 'update', id: loser.id, if_match: '*', data: { name: 'x' } },
    { method: 'update', external_id: 'loser', data: { name: 'x' } },
  ]);
  expect(statuses(results)).toEqual([404, 404, 404, 200]);
  for (const { error } of results.slice(0, 3)) expect(error.merged_into).toBe(winner.id);
  expect(results[3].data.id).toBe(winner.id);
});

test('an invalid operation has its own 400', async () => {
  const { token } = await createRecordsTenant(sql);
  const { id } = await createLead(token);
  const wrong: [unknown, string[]][] = [
    [7, ['operation']],
    [{}, ['method']],
    [{ method: 'move' }, ['method']],
    [{ method: 'create' }, ['data']],
    [{ method: 'create', data: [] }, ['data']],
    [{ method: 'create', id, data: lead() }, ['id']],
    [{ method: 'create', external_id: 'a', data: lead({ external_id: 'b' }) }, ['external_id']],
    [{ method: 'update', data: {} }, ['id']],
    [{ method: 'update', id, external_id: 'a', data: {} }, ['id']],
    [{ method: 'update', id: 7, data: {} }, ['id']],
    [{ method: 'update', id }, ['data']],
    [{ method: 'upsert', data: lead() }, ['external_id']],
    [{ method: 'upsert', external_id: ' ', data: lead() }, ['external_id']],
    [{ method: 'upsert', external_id: 'a', data: lead({ external_id: 'b' }) }, ['external_id']],
    [{ method: 'upsert', id, external_id: 'a', data: lead() }, ['id']],
    [{ method: 'delete' }, ['id']],
    [{ method: 'delete', id, if_match: 7 }, ['if_match']],
  ];
  const results = await batch(
    token,
    '/leads',
    wrong.map(([operation]) => operation),
  );
  for (const [place, { status, error }] of results.entries()) {
    const fields = error.details.map(({ field }: Json) => field);
    expect([wrong[place]?.[0], status, error.code, fields]).toEqual([
      wrong[place]?.[0],
      400,
      'VALIDATION_ERROR',
      wrong[place]?.[1],
    ]);
  }
  const [onlyMade] = await batch(token, '/activities', [{ method: 'delete', id }]);
  expect([onlyMade.status, onlyMade.error.details[0].field]).toEqual([400, 'method']);
});

test('as a whole it is rejected only for its format and size; an empty batch is valid', async () => {
  const { id, token } = await createRecordsTenant(sql);
  expect(await batch(token, '/leads', [])).toEqual([]);
  const many = Array.from({ length: 501 }, () => create(lead()));
  for (const [body, field] of [
    [{}, 'operations'],
    [{ operations: {} }, 'operations'],
    [{ operations: many }, 'operations'],
    [{ operations: [], atomic: 'yes' }, 'atomic'],
  ] as const) {
    expectError(await records(token, 'POST', '/leads/batch', body), 400, 'VALIDATION_ERROR', [field]);
  }
  expect(await sql`select from leads where tenant_id = ${id}`).toHaveLength(0);
  expect(statuses(await batch(token, '/leads', many.slice(1)))).toEqual(Array(500).fill(201));
  const other = await records(token, 'GET', '/leads/batch');
  expect([other.status, other.headers.get('allow')]).toEqual([405, 'POST']);
});

test('batches with the same emails in other orders run one after the other', async () => {
  const { id, token } = await createRecordsTenant(sql);
  const { token: other } = await createToken(sql, id, { scopes: ['admin'] });
  const emails = Array.from({ length: 200 }, email);
  const upsert = (to: string, n: number) => ({
    method: 'upsert',
    external_id: `${n}`,
    data: { name: 'Ana', email: to },
  });
  const [one, two, three] = await Promise.all([
    batch(
      token,
      '/leads',
      emails.map((to) => create({ name: 'Ana', email: to })),
    ),
    batch(
      other,
      '/leads',
      emails.toReversed().map((to) => create({ name: 'Ana', email: to })),
    ),
    batch(other, '/leads', emails.toReversed().map(upsert)),
  ]);
  // One request created all of them, and the others receive these records.
  const made = [one, two, three].filter((results) => results?.every(({ status }) => status === 201));
  expect(made).toHaveLength(1);
  const ids = new Set(made[0]?.map(({ data }) => data.id));
  for (const results of [one, two, three].filter((list) => list !== made[0]))
    expect(results?.map(({ status, error }) => [status, ids.has(error?.existing_id)])).toEqual(
      emails.map(() => [409, true]),
    );
});

describe('atomic', () => {
  test('a conflicting record is shown unchanged, because nothing was done', async () => {
    const { token } = await createRecordsTenant(sql);
    const mine = await createLead(token);
    const { headers } = await records(token, 'GET', `/leads/${mine.id}`);
    const tag = headers.get('etag');
    const operations = [
      { method: 'update', id: mine.id, data: { name: 'Changed' } },
      { method: 'update', id: mine.id, data: { name: 'x' }, if_match: tag },
      create(lead({ email: 'new@example.com' })),
      create(lead({ email: 'new@example.com' })),
      { method: 'delete', id: mine.id },
      create(lead({ email: mine.email })),
      create(lead({ email: mine.email })),
    ];
    const { body } = await records(token, 'POST', '/leads/batch', { operations, atomic: true });
    const { results } = body.error;
    expect(statuses(results)).toEqual([424, 412, 424, 409, 424, 424, 409]);
    expect(results[1].error.current).toEqual(mine);
    expect('existing_id' in results[3].error).toBe(false);
    expect(results[6].error.existing_id).toBe(mine.id);
  });

  test('with a rejected operation: nothing is done, and each result says whether it was rejected', async () => {
    const { id, token } = await createRecordsTenant(sql);
    const mine = await createLead(token);
    const events = followEvents(sql, id);
    await events.types();
    const operations = [
      create(lead()),
      { method: 'update', id: mine.id, data: { name: 'x' } },
      create(lead({ email: mine.email })),
      create({}),
      { method: 'delete', id: mine.id },
    ];
    const reply = await records(token, 'POST', '/leads/batch', { operations, atomic: true });
    expect([reply.status, reply.body.error.code]).toEqual([422, 'BATCH_REJECTED']);
    const { results } = reply.body.error;
    expect(statuses(results)).toEqual([424, 424, 409, 400, 424]);
    expect(results[0]).toEqual({ status: 424 });
    expect(results[2].error).toMatchObject({ code: 'CONFLICT', existing_id: mine.id });
    expect(await events.types()).toEqual([]);
    const list = await records(token, 'GET', '/leads');
    expect(list.body.data).toEqual([mine]);
    const [row] = await sql`
      select status from request_log where request_id = ${reply.headers.get('x-request-id')}`;
    expect(row?.status).toBe(422);
  });

  test('without one: all is done', async () => {
    const { token } = await createRecordsTenant(sql);
    const results = await batch(token, '/leads', [create(lead()), create(lead())], { atomic: true });
    expect(statuses(results)).toEqual([201, 201]);
  });
});

test('deals move within the pipeline like in single requests, in the names of the variant', async () => {
  const { token } = await createRecordsTenant(sql, { variant: 'b' });
  const [first, second] = await stagesOf(token);
  const own = { name: 'Plan', value: 10, stage: second.name };
  const made = await batch(token, '/opportunities', [
    create(own),
    create({ ...own, stage: 'nowhere' }),
    create({ ...own, stage: undefined }),
    create({ ...own, contact: { name: 'Ana' }, assigned_to: NOBODY }),
  ]);
  expect(statuses(made)).toEqual([201, 422, 400, 422]);
  expect(made[0].data).toMatchObject({ stage: second.name, contact: { name: null } });
  expect(made.slice(1).map(({ error }) => error.details[0].field)).toEqual(['stage', 'stage', 'assigned_to']);
  const { id } = made[0].data;
  const [moved, back] = await batch(token, '/deals', [
    { method: 'update', id, data: { stage_id: first.id } },
    { method: 'update', id, data: { name: 'Other' } },
  ]);
  expect([moved.data.stage, back.data.name, back.data.stage]).toEqual([first.name, 'Other', first.name]);
  expect((await records(token, 'POST', `/opportunities/${id}/close`, { status: 'won' })).status).toBe(200);
  const [late, named] = await batch(token, '/opportunities', [
    { method: 'update', id, data: { stage_id: second.id } },
    { method: 'update', id, data: { name: 'Won' } },
  ]);
  expect([late.status, named.status]).toEqual([409, 200]);
});

test('creates activities', async () => {
  const { id, token } = await createRecordsTenant(sql);
  const user = await createUser(token);
  const deal = await createDeal(token, { owner_id: user.id });
  const results = await batch(token, '/activities', [
    create({ type: 'call', deal_id: deal.id, date: '2026-01-02' }),
    create({ type: 'note', title: 'x' }),
    create({ type: 'dance' }),
    create({ type: 'note', deal_id: NOBODY }),
  ]);
  expect(statuses(results)).toEqual([201, 201, 400, 422]);
  expect(results[0].data).toMatchObject({ deal_id: deal.id, owner_id: user.id });
  expect(await sql`select from deal_activities where tenant_id = ${id}`).toHaveLength(2);
});

test('needs a write scope, and accesses only its own tenant and external ids', async () => {
  const { id, token } = await createRecordsTenant(sql, { scopes: ['write:leads'] });
  const other = await createToken(sql, id, { scopes: ['read:leads', 'write:deals'] });
  const stranger = await createRecordsTenant(sql);
  expect((await records(other.token, 'POST', '/leads/batch', { operations: [] })).status).toBe(403);
  expect((await records(token, 'POST', '/deals/batch', { operations: [] })).status).toBe(403);
  const [mine] = await batch(token, '/leads', [create(lead({ external_id: 'mine' }))]);
  const theirs = await batch(stranger.token, '/leads', [
    { method: 'update', id: mine.data.id, data: { name: 'x' } },
    { method: 'delete', external_id: 'mine' },
    { method: 'upsert', external_id: 'mine', data: lead() },
  ]);
  expect(statuses(theirs)).toEqual([404, 404, 201]);
});
