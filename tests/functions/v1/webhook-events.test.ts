// Deliveries of records webhooks: signed events with the names of their variant, and records as GET returns them.
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { verifyWebhook } from '../../../clients/typescript/src/webhooks.ts';
import { dealEvents } from '../../../shared/records/deals/states.ts';
import { leadEvents } from '../../../shared/records/leads/states.ts';
import { userEvents } from '../../../shared/records/users/states.ts';
import { connectDatabase } from '../../support/database.ts';
import type { Json } from '../../support/gamification/sync.ts';
import {
  createDeal,
  createLead,
  createUser,
  expectData,
  stagesOf,
} from '../../support/records/record-flows.ts';
import { createRecordsTenant, createToken, records } from '../../support/records/records.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type Endpoint, type Received, startEndpoint } from '../../support/webhooks/webhooks.ts';

const sql = connectDatabase();
const ALL = [...leadEvents, ...dealEvents, ...userEvents];

const subscribe = (token: string, { url }: Endpoint, more: object = {}, headers = {}) =>
  expectData(token, 'POST', '/webhooks', 201, { url, events: ALL, ...more }, { headers });

const received = async (endpoint: Endpoint, count: number): Promise<Received[]> => {
  const all = await waitFor(() => endpoint.received.length >= count && endpoint.received);
  // Deliveries may arrive in any order, but their events have timestamps.
  return all.toSorted((a, b) => (JSON.parse(a.body).id < JSON.parse(b.body).id ? -1 : 1));
};
const payloadsOf = async (endpoint: Endpoint, count: number) =>
  (await received(endpoint, count)).map(({ body }) => JSON.parse(body));

describe('a signature', () => {
  test.each([
    ['generated', `whsec_${Buffer.from('0123456789abcdefghijklmn').toString('base64')}`, undefined],
    ['of any text', 'correct horse', { format: 'raw' } as const],
  ])('with a secret %s is verified by both kinds of receivers', async (_, secret, format) => {
    const { token } = await createRecordsTenant(sql);
    const endpoint = await startEndpoint();
    await subscribe(token, endpoint, { secret });
    const lead = await createLead(token, { name: 'José 🎯' });
    const [first] = await received(endpoint, 1);
    const { headers = {}, body = '' }: Partial<Received> = first ?? {};
    const hex = createHmac('sha256', secret).update(body).digest('hex');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-signature': `sha256=${hex}`,
      'x-service-event': 'lead.created',
      'x-service-delivery': headers['webhook-id'],
    });
    const verified = new Webhook(secret, format).verify(body, headers as Record<string, string>);
    expect(verified).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
      type: 'lead.created',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: lead,
    });
    expect(() => new Webhook(secret, format).verify(`${body} `, headers as Record<string, string>)).toThrow();
  });

  test('with a generated secret is verified by the library unchanged, and the secret is shown once', async () => {
    const { token } = await createRecordsTenant(sql);
    const endpoint = await startEndpoint();
    const { id, secret: first, ...shown } = await subscribe(token, endpoint, { secret: 'generate' });
    expect(Object.keys(shown)).not.toContain('secret');
    const { secret: second } = await expectData(token, 'PATCH', `/webhooks/${id}`, 200, {
      secret: 'generate',
    });
    for (const secret of [first, second]) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(second).not.toBe(first);
    expect(await expectData(token, 'GET', `/webhooks/${id}`, 200)).not.toHaveProperty('secret');
    await createLead(token);
    const [request] = await received(endpoint, 1);
    const { headers = {}, body = '' }: Partial<Received> = request ?? {};
    new Webhook(second).verify(body, headers as Record<string, string>);
    expect(() => new Webhook(first).verify(body, headers as Record<string, string>)).toThrow();
    expect(headers['x-service-signature']).toBe(
      `sha256=${createHmac('sha256', second).update(body).digest('hex')}`,
    );
  });

  test("by only the webhook's key exists without a secret, and the key is in its key set", async () => {
    const { token } = await createRecordsTenant(sql);
    const endpoint = await startEndpoint();
    const webhook = await subscribe(token, endpoint);
    await createLead(token);
    const [first] = await received(endpoint, 1);
    expect(first?.headers).not.toHaveProperty('x-service-signature');
    expect(first?.headers['webhook-signature']).toMatch(/^v1a,[^ ]+$/);
    const { headers = {}, body = '' }: Partial<Received> = first ?? {};
    expect(await verifyWebhook({ headers, body }, webhook.public_key)).toMatchObject({
      type: 'lead.created',
    });
    const { body: keySet } = await records(token, 'GET', `/webhooks/${webhook.id}/keys`);
    const x = Buffer.from(webhook.public_key.slice(5), 'base64').toString('base64url');
    expect(keySet).toMatchObject({ keys: [{ kty: 'OKP', crv: 'Ed25519', x }] });
    // Another webhook of the same client has another secret.
    const other = await subscribe(token, await startEndpoint());
    await expect(verifyWebhook({ headers, body }, other.public_key)).rejects.toThrow('signature');
    await expectData(token, 'PATCH', `/webhooks/${webhook.id}`, 200, { secret: 'later' });
    await createLead(token);
    const [, second] = await received(endpoint, 2);
    const signature = `sha256=${createHmac('sha256', 'later')
      .update(second?.body ?? '')
      .digest('hex')}`;
    expect(second?.headers['x-service-signature']).toBe(signature);
  });
});

test('an event contains the record as GET returns it, and each change has a later updated_at', async () => {
  const { token } = await createRecordsTenant(sql);
  const endpoint = await startEndpoint();
  await subscribe(token, endpoint);
  const shown = [];
  const user = await createUser(token);
  shown.push(user);
  const lead = await createLead(token, { owner_id: user.id });
  shown.push(lead);
  for (const change of [{ phone: '1' }, { status: 'contacted' }, { phone: '2' }]) {
    await expectData(token, 'PATCH', `/leads/${lead.id}`, 200, change);
    const { activities: _activities, ...now } = await expectData(token, 'GET', `/leads/${lead.id}`, 200);
    shown.push(now);
  }
  await expectData(token, 'PATCH', `/users/${user.id}`, 200, { role: 'manager' });
  shown.push((await expectData(token, 'GET', '/users', 200))[0]);
  const payloads = await payloadsOf(endpoint, shown.length);
  expect(payloads.map(({ data }) => data)).toEqual(shown);
  const times = payloads.filter(({ type }) => type.startsWith('lead.')).map(({ data }) => data.updated_at);
  expect(new Set(times).size).toBe(4);
  expect(times).toEqual(times.toSorted());
  expect(times.every((time) => /\.\d{6}Z$/.test(time))).toBe(true);
});

test('changes in quick succession and in one transaction have different updated_at', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const lead = await createLead(token);
  await sql.begin(async (tx) => {
    for (const phone of ['1', '2', '3'])
      await tx`update leads set phone = ${phone} where tenant_id = ${tenantId}`;
  });
  const events =
    await sql`select data from events where tenant_id = ${tenantId} and type = 'lead.updated' order by id`;
  const times = events.map(({ data }) => data.updated_at);
  expect(new Set([lead.updated_at, ...times]).size).toBe(4);
  expect(times).toEqual(times.toSorted());
  // The state that a clock which was set back leaves behind.
  const [ahead] =
    await sql`update leads set updated_at = now() + interval '1 hour' where id = ${lead.id} returning to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`;
  const later = await expectData(token, 'PATCH', `/leads/${lead.id}`, 200, { phone: '4' });
  expect(later.updated_at > ahead?.at).toBe(true);
});

test('moves and wins report the previous stage', async () => {
  const { token } = await createRecordsTenant(sql);
  const [one, two] = await stagesOf(token);
  const short = ({ id, name, probability }: typeof one) => ({ id, name, probability });
  const endpoint = await startEndpoint();
  await subscribe(token, endpoint);
  const deal = await createDeal(token);
  const moved = await expectData(token, 'POST', `/deals/${deal.id}/move`, 200, { stage_id: two.id });
  const won = await expectData(token, 'POST', `/deals/${deal.id}/close`, 200, { result: 'won' });
  await expectData(token, 'DELETE', `/deals/${deal.id}`, 204);
  const payloads = await payloadsOf(endpoint, 4);
  expect(payloads.map(({ type, data }) => [type, data])).toEqual([
    ['deal.created', deal],
    ['deal.stage_changed', { ...moved, previous_stage: short(one) }],
    ['deal.won', { ...won, previous_stage: short(two) }],
    ['deal.deleted', won],
  ]);
});

test('large custom fields are in every event as they were, also after the record was deleted', async () => {
  const { token } = await createRecordsTenant(sql);
  const endpoint = await startEndpoint();
  const { id: webhook } = await subscribe(token, endpoint);
  const fields = (text: string) => ({
    custom_fields: { text: text.repeat(800), more: [text, { deep: null }] },
  });
  const shown = [await createDeal(token, fields('ação "x" '))];
  const path = `/deals/${shown[0].id}`;
  for (const change of [
    { value: 2 },
    fields('other'),
    { custom_fields: {} },
    { name: 'Last', ...fields('ação "x" ') },
  ]) {
    shown.push(await expectData(token, 'PATCH', path, 200, change));
  }
  await expectData(token, 'DELETE', path, 204);
  shown.push(shown.at(-1));
  const sent = await received(endpoint, shown.length);
  expect(sent.map(({ body }) => JSON.parse(body).data)).toEqual(shown);

  // The log has the same payloads, and a replay has the same bytes.
  const log = await expectData(token, 'GET', `/webhooks/${webhook}/deliveries`, 200);
  const byEvent = (list: Json[]) =>
    list.map(({ payload }) => payload).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  expect(byEvent(log)).toEqual(sent.map(({ body }) => JSON.parse(body)));
  await waitFor(async () =>
    (await expectData(token, 'GET', `/webhooks/${webhook}/deliveries`, 200)).every(
      ({ success }: Json) => success,
    ),
  );
  for (const { id } of log) {
    await expectData(token, 'POST', `/webhooks/${webhook}/deliveries/${id}/replay`, 202);
  }
  const again = (await received(endpoint, 2 * shown.length)).map(({ body }) => body);
  expect(again.toSorted()).toEqual(sent.flatMap(({ body }) => [body, body]).toSorted());
});

test('an event has the origin of its request, and no other event does', async () => {
  const { token } = await createRecordsTenant(sql);
  const endpoint = await startEndpoint();
  await subscribe(token, endpoint);
  const headers = { 'X-Origin': 'crm-sync 7' };
  const lead = await expectData(token, 'POST', '/leads', 201, { name: 'A', email: 'o@x.co' }, { headers });
  await expectData(token, 'PATCH', `/leads/${lead.id}`, 200, { phone: '1' });
  await expectData(token, 'POST', `/leads/${lead.id}/convert`, 200, undefined, { headers });
  const payloads = await payloadsOf(endpoint, 4);
  expect(payloads.map(({ type, origin }) => [type, origin])).toEqual([
    ['lead.created', 'crm-sync 7'],
    ['lead.updated', undefined],
    ['lead.converted', 'crm-sync 7'],
    ['deal.created', 'crm-sync 7'],
  ]);
  const long = await records(
    token,
    'PATCH',
    `/leads/${lead.id}`,
    { phone: '2' },
    { headers: { 'X-Origin': 'x'.repeat(65) } },
  );
  expect(long.status).toBe(400);
});

describe('variants', () => {
  test("each webhook uses the names of the client that created it, regardless of that request's variant", async () => {
    const { id, token } = await createRecordsTenant(sql);
    const endpoints: Endpoint[] = [];
    for (const variant of ['a', 'b', 'c'] as const) {
      const endpoint = await startEndpoint();
      endpoints.push(endpoint);
      const client = await createToken(sql, id, { variant });
      await subscribe(client.token, endpoint, {}, { 'X-Api-Variant': 'a' });
    }
    const [one, two] = await stagesOf(token);
    const owner = await createUser(token);
    const lead = await createLead(token, { owner_id: owner.id });
    await expectData(token, 'PATCH', `/leads/${lead.id}`, 200, { status: 'unqualified' });
    const deal = await createDeal(token, { owner_id: owner.id, contact_name: 'Zoë' });
    await expectData(token, 'POST', `/deals/${deal.id}/move`, 200, { stage_id: two.id });
    await expectData(token, 'DELETE', `/users/${owner.id}`, 204);
    const told = await Promise.all(endpoints.map((endpoint) => payloadsOf(endpoint, 6)));
    const [a = [], b = [], c = []] = told;
    const types = [
      'user.created',
      'lead.created',
      'lead.status_changed',
      'deal.created',
      'deal.stage_changed',
      'user.deactivated',
    ];
    expect(a.map(({ type }) => type)).toEqual(types);
    expect(b.map(({ type }) => type)).toEqual(types);
    expect(c.map(({ type }) => type)).toEqual(types.with(2, 'lead.stage_changed'));
    expect(endpoints[2]?.received.map(({ headers }) => headers['x-service-event']).toSorted()).toEqual(
      types.with(2, 'lead.stage_changed').toSorted(),
    );
    expect([a[0]?.data, b[0]?.data, c[0]?.data]).toMatchObject([
      { role: 'sales_rep', status: 'invited', team: null },
      { role: 'seller', status: 'inactive', team_name: null },
      { role: 'seller', status: 'pending', team: null },
    ]);
    expect([a[2]?.data, b[2]?.data, c[2]?.data]).toMatchObject([
      { status: 'unqualified', owner_id: owner.id },
      { status: 'discarded', assigned_to: owner.id },
      { stage: 'unqualified', assigned_to: owner.id, score: null },
    ]);
    const contact = { name: 'Zoë', email: null, company: null };
    expect([a[4]?.data, b[4]?.data, c[4]?.data]).toMatchObject([
      { stage: { id: two.id }, previous_stage: { id: one.id, name: one.name, probability: one.probability } },
      {
        stage: two.name,
        previous_stage: one.name,
        assigned_to: owner.id,
        probability: two.probability,
        contact,
      },
      { stage: two.name, previous_stage: one.name, currency: 'BRL', products: [], contact },
    ]);
  });

  test('C subscribes to lead.stage_changed, and sees it under that name', async () => {
    const { token } = await createRecordsTenant(sql, { variant: 'c' });
    const endpoint = await startEndpoint();
    const webhook = await subscribe(token, endpoint, { events: ['lead.stage_changed'] });
    expect(webhook.events).toEqual(['lead.stage_changed']);
    const inA = await expectData(token, 'GET', `/webhooks/${webhook.id}`, 200, undefined, {
      headers: { 'X-Api-Variant': 'a' },
    });
    expect(inA.events).toEqual(['lead.status_changed']);
    const lead = await expectData(token, 'POST', '/leads', 201, { name: 'A', email: 'c@x.co' });
    await expectData(token, 'PATCH', `/leads/${lead.id}`, 200, { stage: 'contacted' });
    const [{ type } = { type: '' }] = await payloadsOf(endpoint, 1);
    expect(type).toBe('lead.stage_changed');
    const [entry] = await expectData(token, 'GET', `/webhooks/${webhook.id}/deliveries`, 200);
    expect(entry).toMatchObject({
      event_type: 'lead.stage_changed',
      payload: { data: { stage: 'contacted' } },
    });
  });
});
