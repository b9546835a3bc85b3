// Conditions of a webhook besides event types: filters on the data, and members that must have changed, with the names in its deliveries.
import { expect, test } from 'vitest';
import { connectDatabase, createApiKey, createTenant } from '../../support/database.ts';
import { PAYMENT_SCOPES, pay } from '../../support/payments/payments.ts';
import {
  createDeal,
  createLead,
  createUser,
  expectData,
  stagesOf,
} from '../../support/records/record-flows.ts';
import { createRecordsTenant, createToken, records } from '../../support/records/records.ts';
import { startEndpoint } from '../../support/webhooks/webhooks.ts';

const sql = connectDatabase();
const NOWHERE = 'https://hooks.example.invalid/x';
/** Each with its own host, because a plan limits the webhooks per host. */
let hosts = 0;
const make = (token: string, webhook: object) =>
  expectData(token, 'POST', '/webhooks', 201, {
    url: `https://hooks-${hosts++}.example.invalid/x`,
    ...webhook,
  });

/** The sent and waiting deliveries of a webhook: the types, and the name of each record. */
async function toldOf(webhook: string): Promise<string[]> {
  const rows = await sql`
    select e.type || ' ' || (e.data ->> 'name') as told from webhook_deliveries d
    join events e on e.tenant_id = d.tenant_id and e.id = d.event_id
    where d.endpoint_id = ${webhook} order by e.sequence`;
  return rows.map((row) => row.told);
}

test('all filters must match, like conditions of automations, and one of the members must have changed', async () => {
  const { token } = await createRecordsTenant(sql);
  const events = ['lead.created', 'lead.updated', 'lead.status_changed', 'lead.deleted'];
  const filters = [
    { field: 'source', op: 'in', value: ['website', 'fair'] },
    { field: 'custom_fields.region', op: 'ne', value: 'south' },
    { field: 'tags', op: 'contains', value: 'hot' },
  ];
  const narrow = await make(token, { events, filters });
  const changed = await make(token, { events, changed: ['status', 'phone', 'phone'] });
  const both = await make(token, { events, filters, changed: ['phone'] });
  const all = await make(token, { events });
  expect(narrow).toMatchObject({ filters, changed: [] });
  expect(changed).toMatchObject({ filters: [], changed: ['status', 'phone'] });
  expect(all).toMatchObject({ filters: [], changed: [], header_names: [] });

  const wanted = { name: 'Ana', source: 'website', custom_fields: { region: 'north' }, tags: ['hot', 'new'] };
  const ana = await createLead(token, wanted);
  await createLead(token, { ...wanted, name: 'South', custom_fields: { region: 'south' } });
  await createLead(token, { ...wanted, name: 'Cold', tags: [] });
  await createLead(token, { ...wanted, name: 'Mail', source: 'mail' });
  const change = (body: object) => expectData(token, 'PATCH', `/leads/${ana.id}`, 200, body);
  await change({ company: 'Acme' });
  await change({ phone: '1', company: 'Other' });
  await change({ status: 'contacted' });
  await change({ source: 'mail', phone: '2' });
  await records(token, 'DELETE', `/leads/${ana.id}`);

  const made = ['Ana', 'South', 'Cold', 'Mail'].map((name) => `lead.created ${name}`);
  const [first = '', ...others] = made;
  const [updated, moved, deleted] = ['updated', 'status_changed', 'deleted'].map(
    (what) => `lead.${what} Ana`,
  );
  expect(await toldOf(narrow.id)).toEqual([first, updated, updated, moved]);
  expect(await toldOf(changed.id)).toEqual([first, ...others, updated, moved, updated, deleted]);
  expect(await toldOf(both.id)).toEqual([first, updated]);
  expect(await toldOf(all.id)).toEqual([...made, updated, updated, moved, updated, deleted]);

  // Events that it missed and would not have received are not sent by a replay either.
  await sql`delete from webhook_deliveries where endpoint_id in (${both.id}, ${all.id})`;
  const since = '2026-01-01T00:00:00Z';
  expect(await expectData(token, 'POST', `/webhooks/${both.id}/replay`, 202, { since })).toMatchObject({
    total: 2,
  });
  expect(await expectData(token, 'POST', `/webhooks/${all.id}/replay`, 202, { since })).toMatchObject({
    total: 9,
  });

  // Removes them, and sets one instead of the others.
  const path = `/webhooks/${narrow.id}`;
  expect(await expectData(token, 'PATCH', path, 200, { filters: null, changed: ['email'] })).toMatchObject({
    filters: [],
    changed: ['email'],
  });
  expect(await expectData(token, 'PATCH', path, 200, { changed: [] })).toMatchObject({
    filters: [],
    changed: [],
  });
});

test.each(['b', 'c'] as const)('variant %s uses the names of its deliveries', async (variant) => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const { token: own } = await createToken(sql, tenantId, { scopes: ['admin'], variant });
  const [first, second] = await stagesOf(token);
  const events = ['deal.created', 'deal.updated', 'deal.stage_changed', 'user.created', 'user.updated'];
  const about = async (filter: object, more: object = {}) =>
    (await make(own, { events, filters: [filter], ...more })).id;
  const inStage = await about({ field: 'stage', op: 'eq', value: first?.name });
  const byContact = await about({ field: 'contact.email', op: 'eq', value: 'z@x.co' });
  const byOwner = await about({ field: 'assigned_to', op: 'ne', value: null });
  const sellers = await about({ field: 'role', op: 'eq', value: 'seller' });
  const hidden = await about({ field: 'owner_id', op: 'ne', value: null });
  const inactive = await about({ field: 'status', op: 'eq', value: 'inactive' });
  const moved = (await make(own, { events, changed: ['stage_id'] })).id;
  const contact = (await make(own, { events, changed: ['contact'] })).id;

  const user = await createUser(token, { name: 'Bia', role: 'sales_rep' });
  const deal = await createDeal(token, {
    name: 'Big',
    stage_id: first?.id,
    contact_email: 'z@x.co',
    owner_id: user.id,
  });
  const change = (body: object) => expectData(token, 'PATCH', `/deals/${deal.id}`, 200, body);
  await change({ contact_name: 'Zoë' });
  await change({ company: 'Acme' });
  await expectData(token, 'POST', `/deals/${deal.id}/move`, 200, { stage_id: second?.id });

  const [created, updated, stageChanged] = ['created', 'updated', 'stage_changed'].map(
    (what) => `deal.${what} Big`,
  );
  expect(await toldOf(inStage)).toEqual([created, updated, updated]);
  expect(await toldOf(byContact)).toEqual([created, updated, updated, stageChanged]);
  expect(await toldOf(byOwner)).toEqual([created, updated, updated, stageChanged]);
  expect((await toldOf(sellers)).filter((told) => told.startsWith('user.created'))).toEqual([
    'user.created Bia',
  ]);
  expect(await toldOf(hidden)).toEqual([]);
  // An invited user is inactive in variant B, and pending in C.
  expect((await toldOf(inactive)).includes('user.created Bia')).toBe(variant === 'b');
  expect((await toldOf(moved)).filter((told) => told.startsWith('deal'))).toEqual([created, stageChanged]);
  expect((await toldOf(contact)).filter((told) => told.startsWith('deal'))).toEqual([
    created,
    updated,
    updated,
  ]);
});

test('external ids and hidden members never match in filters', async () => {
  const { token } = await createRecordsTenant(sql);
  const asked = ['external_id', 'external_ids', 'tenant_id', 'deleted_at'].map(async (field) => {
    const { id } = await make(token, {
      events: ['lead.created'],
      filters: [{ field, op: 'ne', value: null }],
    });
    return id as string;
  });
  const webhooks = await Promise.all(asked);
  await createLead(token, { external_id: 'crm-1' });
  for (const id of webhooks) expect(await toldOf(id)).toEqual([]);
});

test('errors name their position', async () => {
  const { token } = await createRecordsTenant(sql);
  const webhook = { url: NOWHERE, events: ['lead.created'] };
  const fieldsOf = async (more: object) => {
    const { status, body } = await records(token, 'POST', '/webhooks', { ...webhook, ...more });
    return [status, ...body.error.details.map(({ field }: { field: string }) => field).sort()];
  };
  const good = { field: 'source', op: 'eq', value: 'x' };
  expect(await fieldsOf({ filters: {} })).toEqual([400, 'filters']);
  expect(await fieldsOf({ filters: Array(21).fill(good) })).toEqual([400, 'filters']);
  const wrong = [good, { ...good, field: 'a..b' }, { ...good, op: 'like' }, { field: 'x', op: 'eq' }];
  expect(await fieldsOf({ filters: wrong })).toEqual([
    400,
    'filters.1.field',
    'filters.2.op',
    'filters.3.value',
  ]);
  expect(await fieldsOf({ filters: [{ ...good, op: 'in' }] })).toEqual([400, 'filters.0.value']);
  expect(await fieldsOf({ filters: [{ ...good, op: 'gt', value: true }] })).toEqual([400, 'filters.0.value']);
  expect(await fieldsOf({ filters: [{ ...good, value: 'x'.repeat(5000) }] })).toEqual([
    400,
    'filters.0.value',
  ]);
  expect(await fieldsOf({ changed: 'status' })).toEqual([400, 'changed']);
  expect(await fieldsOf({ changed: [5] })).toEqual([400, 'changed.0']);
  // One URL may have several webhooks with different conditions.
  await make(token, { ...webhook, filters: [good] });
  await make(token, webhook);
  expect((await records(token, 'POST', '/webhooks', { ...webhook, filters: [good] })).status).toBe(409);
});

test('of payments: in the names of the resources', async () => {
  const { id: tenantId } = await createTenant(sql);
  const { apiKey } = await createApiKey(sql, tenantId, { scopes: PAYMENT_SCOPES });
  const { url } = await startEndpoint();
  const webhook = async (body: object) => {
    const reply = await pay(apiKey, '/webhooks', { url, ...body });
    expect([reply.status, reply.body]).toEqual([201, reply.body]);
    return reply.body.id as string;
  };
  const cards = await webhook({ filters: [{ field: 'payment_method.type', op: 'eq', value: 'card' }] });
  const large = await webhook({ filters: [{ field: 'amount', op: 'gt', value: 500 }] });
  const secret = await webhook({ filters: [{ field: 'public_token', op: 'ne', value: null }] });
  const fees = await webhook({ changed: ['fee'] });
  const invoice = (type: string, amount: number, changed: string[]) => sql`
    insert into events (tenant_id, interface, type, changed, data)
    values (${tenantId}, 'payments', ${type}, ${changed}, ${sql.json({
      id: 'inv_1',
      amount,
      name: type,
      payment_method_type: 'card',
      public_token: 'x',
    })})`;
  await invoice('invoice.paid', 1000, ['status', 'paid_at']);
  await invoice('invoice.failed', 100, ['status']);
  expect(await toldOf(cards)).toEqual(['invoice.paid invoice.paid', 'invoice.failed invoice.failed']);
  expect(await toldOf(large)).toEqual(['invoice.paid invoice.paid']);
  expect(await toldOf(secret)).toEqual([]);
  expect(await toldOf(fees)).toEqual(['invoice.paid invoice.paid']);
  expect(
    (await pay(apiKey, '/webhooks', { url, filters: [{ field: 'x', op: 'like', value: 1 }] })).status,
  ).toBe(422);
});
