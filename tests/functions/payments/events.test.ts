// GET /payments/events: the content of a page, and errors.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { createPayTenant, faultsOf, paidInvoice } from '../../support/payments/payment-flows.ts';
import { pay } from '../../support/payments/payments.ts';
import { anotherKey } from '../../support/payments/sandbox.ts';
import { createToken, records } from '../../support/records/records.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();

describe('a page', () => {
  test("has the webhook's payload, the changed members, and a cursor for each event", async () => {
    const { id, apiKey } = await createPayTenant(sql);
    const paid = await paidInvoice(apiKey);
    const second = await paidInvoice(apiKey);
    await sql`insert into leads (tenant_id, name, email) values (${id}, 'Ana', 'ana@example.com')`;
    const { status, body } = await pay(apiKey, '/events?types=invoice.paid');
    const event = (data: unknown) => ({
      id: expect.stringMatching(/^evt_/),
      type: 'invoice.paid',
      created_at: expect.any(String),
      data,
      changed: ['discount', 'fee', 'fine', 'interest', 'net', 'paid_amount', 'paid_at', 'paid_on', 'status'],
      silent: false,
      cursor: expect.any(String),
    });
    expect([status, body]).toEqual([
      200,
      { data: [event(paid), event(second)], has_more: false, next_cursor: expect.any(String) },
    ]);
    const first = await pay(apiKey, '/events?limit=1');
    expect(first.body).toEqual({
      data: [body.data[0]],
      has_more: true,
      next_cursor: body.data[0].cursor,
    });
    const rest = await pay(apiKey, `/events?after=${body.data[0].cursor}`);
    expect(rest.body.data).toEqual([body.data[1]]);
    // The feed of records is separate.
    const { token } = await createToken(sql, id);
    const { body: ofRecords } = await records(token, 'GET', '/events');
    expect(ofRecords.data.map(({ type }: { type: string }) => type)).toEqual(['lead.created']);
    const refused = await pay(apiKey, `/events?after=${ofRecords.meta.next_cursor}`);
    expect(faultsOf(refused, 422, 'validation_error')).toEqual(['after']);
  });
});

describe('rejected requests', () => {
  test.each([
    ['after=x', ['after']],
    ['limit=501&wait=21', ['limit', 'wait']],
    ['types=lead.created', ['types']],
  ])('%s', async (query, fields) => {
    const { apiKey } = await createPayTenant(sql);
    expect(faultsOf(await pay(apiKey, `/events?${query}`), 422, 'validation_error')).toEqual(fields);
  });

  test('a key that is revoked while its request waits', async () => {
    const tenant = await createPayTenant(sql);
    const waiting = pay(tenant.apiKey, '/events?after=now&wait=20');
    // Its first query is done.
    await waitFor(
      async () => (await sql`select from event_feeds where tenant_id = ${tenant.id}`).length === 1,
    );
    await sql`update api_keys set revoked_at = now() where tenant_id = ${tenant.id}`;
    expect((await waiting).status).toBe(401);
  });

  test('a key without read access', async () => {
    const tenant = await createPayTenant(sql);
    const { apiKey } = await anotherKey(sql, tenant, ['payments:write']);
    expect((await pay(apiKey, '/events')).status).toBe(403);
  });

  test('a cursor whose events are no longer stored', async () => {
    const { id, apiKey } = await createPayTenant(sql);
    await paidInvoice(apiKey);
    await paidInvoice(apiKey);
    const { body } = await pay(apiKey, '/events');
    await sql`update event_positions set created_at = now() - interval '31 days' where tenant_id = ${id}`;
    await sql`select app.drop_expired('event_positions', 1000000)`;
    const expired = await pay(apiKey, `/events?after=${body.data[0].cursor}`);
    expect(faultsOf(expired, 410, 'cursor_expired')).toEqual(['after']);
  });
});
