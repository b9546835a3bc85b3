// How many webhooks a tenant may have: by plan, per host, and without duplicates. Exact even for concurrent requests.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { expectData, faultOf } from '../../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';
import { createWebhook } from '../../support/webhooks/webhooks.ts';

const sql = connectDatabase();
const EVENTS = ['lead.created', 'lead.updated'];
const post = (token: string, url: string, events = EVENTS) =>
  records(token, 'POST', '/webhooks', { url, events });
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i));

async function countByStatus(replies: Promise<{ status: number }>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(replies)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test.each([
  ['starter', 20],
  ['professional', 50],
])('the plan %s allows %i', async (plan, limit) => {
  const { id, token } = await createRecordsTenant(sql, { plan });
  const tried = times(limit + 10, (i) => post(token, `https://h${i}.example.invalid/`));
  expect(await countByStatus(tried)).toEqual({ 201: limit, 422: 10 });
  const refused = await post(token, 'https://more.example.invalid/');
  expect(faultOf(refused)).toMatchObject({ status: 422, code: 'UNPROCESSABLE_ENTITY' });
  expect(refused.body.error.message).toMatch(`Your plan allows ${limit} webhooks.`);
  // Webhooks of payments also count.
  await expect(createWebhook(sql, id, 'https://payments.example')).rejects.toThrow(
    `allows at most ${limit} webhooks`,
  );
  const [one] = await expectData(token, 'GET', '/webhooks', 200);
  await expectData(token, 'DELETE', `/webhooks/${one.id}`, 204);
  expect((await post(token, 'https://again.example.invalid/')).status).toBe(201);
});

test('plans allow 20, 50 and 100, and five per host', async () => {
  const plans = await sql`
    select name, max_webhooks, max_webhooks_per_host from plans where max_webhooks is not null order by max_webhooks`;
  expect(plans.map((plan) => Object.values(plan))).toEqual([
    ['starter', 20, 5],
    ['professional', 50, 5],
    ['enterprise', 100, 5],
  ]);
});

test('five URLs can share a host, in any spelling', async () => {
  const { token } = await createRecordsTenant(sql);
  const hosts = [
    'one.example.invalid',
    'ONE.example.invalid',
    'one.example.invalid.',
    'one.example.invalid:8443',
  ];
  const tried = times(12, (i) => post(token, `https://${hosts[i % hosts.length]}/${i}`));
  expect(await countByStatus(tried)).toEqual({ 201: 5, 422: 7 });
  const other = await expectData(token, 'POST', '/webhooks', 201, {
    url: 'https://two.example.invalid',
    events: EVENTS,
  });
  const moved = await records(token, 'PATCH', `/webhooks/${other.id}`, {
    url: 'https://one.example.invalid/x',
  });
  expect(faultOf(moved)).toEqual({ status: 422, code: 'UNPROCESSABLE_ENTITY', fields: ['url'] });
  expect(moved.body.error.details[0].message).toMatch('Your plan allows 5 webhooks per host.');
});

describe('another webhook with the same URL and events', () => {
  test('is rejected, except one of many concurrent requests', async () => {
    const { token } = await createRecordsTenant(sql);
    const url = 'https://same.example.invalid/hook';
    expect(await countByStatus(times(8, () => post(token, url)))).toEqual({ 201: 1, 409: 7 });
    for (const again of ['HTTPS://SAME.example.invalid:443/hook', `${url}#part`]) {
      const reply = await post(token, again, EVENTS.toReversed());
      expect(faultOf(reply)).toMatchObject({ status: 409, code: 'CONFLICT' });
    }
    expect((await post(token, `${url}?x=1`)).status).toBe(201);
    const other = await expectData(token, 'POST', '/webhooks', 201, { url, events: ['lead.created'] });
    const changed = await records(token, 'PATCH', `/webhooks/${other.id}`, { events: EVENTS });
    expect(faultOf(changed)).toMatchObject({ status: 409, code: 'CONFLICT' });
  });

  test('is allowed for another tenant and another interface', async () => {
    const url = 'https://same.example.invalid/hook';
    for (const { id, token } of [await createRecordsTenant(sql), await createRecordsTenant(sql)]) {
      expect((await post(token, url)).status).toBe(201);
      await createWebhook(sql, id, url);
      await expect(createWebhook(sql, id, url)).rejects.toThrow('has the same URL, events');
    }
  });
});

test('a workspace can have 50 filters with contains, each of at most 255 characters', async () => {
  const { token } = await createRecordsTenant(sql);
  const contains = (count: number, length = 255) =>
    times(count, (n) => ({ field: `custom_fields.f${n}`, op: 'contains', value: 'x'.repeat(length) }));
  const create = (host: string, filters: object[]) =>
    records(token, 'POST', '/webhooks', { url: `https://${host}.example.invalid`, events: EVENTS, filters });
  const { body } = await create('a', contains(20));
  expect((await create('b', contains(20))).status).toBe(201);
  const refused = await create('c', contains(11));
  expect(faultOf(refused)).toMatchObject({ status: 422, code: 'UNPROCESSABLE_ENTITY' });
  expect(refused.body.error.details).toEqual([
    {
      field: 'filters',
      message: 'A workspace can have 50 filters with contains. Use eq or in, or delete a webhook.',
    },
  ]);
  expect((await create('c', contains(10))).status).toBe(201);
  expect((await records(token, 'PATCH', `/webhooks/${body.data.id}`, { filters: contains(19) })).status).toBe(
    200,
  );
  const long = await create('d', contains(1, 256));
  expect(faultOf(long)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
});
