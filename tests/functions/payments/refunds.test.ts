// Refunds as integrations see them, in the sandbox.
import { describe, expect, test } from 'vitest';
import { connectDatabase, type Tenant } from '../../support/database.ts';
import {
  createInvoice,
  createPayTenant,
  faultsOf,
  get,
  paidInvoice,
  untilStatus,
} from '../../support/payments/payment-flows.ts';
import { pay } from '../../support/payments/payments.ts';
import { refund, refunded, refundsOf, returnEvents, untilRefund } from '../../support/payments/refunds.ts';

const sql = connectDatabase(undefined, { announces: true });

const entriesOf = async ({ apiKey }: Tenant, id: string) =>
  (await get(apiKey, `/balance-transactions?source=${id}`)).data.map(
    ({ type, reason, amount, fee }: Record<string, unknown>) => [reason ?? type, amount, fee],
  );

test('a partial refund: pending, then succeeded, with its entry, balance and events', async () => {
  const tenant = await createPayTenant(sql);
  const { id, our_number } = await paidInvoice(tenant.apiKey, { contractor_reference: 'order-7' });
  const made = await refunded(tenant, id, { amount: 4000, reason: 'Pedido cancelado' });
  expect(made).toEqual({
    id: expect.stringMatching(/^rfd_/),
    invoice_id: id,
    status: 'pending',
    amount: 4000,
    currency: 'BRL',
    reason: 'Pedido cancelado',
    origin: 'api',
    pending_reason: 'processing',
    action_url: null,
    failure_reason: null,
    cost_center: null,
    our_number,
    contractor_reference: 'order-7',
    created: expect.any(String),
    settled_at: null,
  });
  expect(await get(tenant.apiKey, `/invoices/${id}`)).toMatchObject({
    status: 'paid',
    amount_refunded: 0,
    amount_refund_pending: 4000,
  });
  const done = await untilRefund(tenant, made, 'succeeded');
  expect(done).toEqual({
    ...made,
    status: 'succeeded',
    pending_reason: null,
    settled_at: expect.any(String),
  });
  expect(await get(tenant.apiKey, `/invoices/${id}`)).toMatchObject({
    status: 'paid',
    amount_refunded: 4000,
    amount_refund_pending: 0,
    dispute: null,
  });
  const { data } = await get(tenant.apiKey, `/balance-transactions?source=${made.id}`);
  expect(data).toMatchObject([
    {
      type: 'adjustment',
      reason: 'refund',
      amount: -4000,
      fee: 0,
      refund_id: made.id,
      source: { resource: 'invoice', id },
      our_number,
    },
  ]);
  expect(await entriesOf(tenant, id)).toEqual([
    ['refund', -4000, 0],
    ['charge', 10000, 100],
  ]);
  expect((await get(tenant.apiKey, '/balance')).data).toEqual([
    { currency: 'BRL', available: 5900, pending: 0 },
  ]);
  expect(await returnEvents(sql, tenant)).toEqual([
    'invoice.refund.created',
    'invoice.refund.succeeded',
    'invoice.refunded',
  ]);
  const { data: events } = await get(tenant.apiKey, '/events');
  const told = events.find(({ type }: { type: string }) => type === 'invoice.refund.succeeded');
  expect(told.data).toEqual(done);
});

test('without an amount, refunds the rest; read in a list, and only with its own invoice', async () => {
  const tenant = await createPayTenant(sql);
  const [{ id }, other] = [await paidInvoice(tenant.apiKey), await paidInvoice(tenant.apiKey)];
  const first = await refunded(tenant, id, { amount: 1 });
  const rest = await refunded(tenant, id, null);
  expect(rest.amount).toBe(9999);
  await untilRefund(tenant, rest, 'succeeded');
  expect((await refundsOf(tenant, id)).map(({ id: refundId }: { id: string }) => refundId)).toEqual([
    rest.id,
    first.id,
  ]);
  const page = await get(tenant.apiKey, `/invoices/${id}/refunds?limit=1&starting_after=${rest.id}`);
  expect([page.data.length, page.data[0].id, page.has_more]).toEqual([1, first.id, false]);
  expect((await get(tenant.apiKey, `/invoices/${id}/refunds?status=failed`)).data).toEqual([]);
  const stranger = await createPayTenant(sql);
  const statuses = await Promise.all([
    pay(tenant.apiKey, `/invoices/${other.id}/refunds/${first.id}`),
    pay(stranger.apiKey, `/invoices/${id}/refunds/${first.id}`),
    pay(stranger.apiKey, `/invoices/${id}/refunds`),
    refund(stranger, id),
    refund(tenant, id.replace('inv_', 'rfd_')),
  ]);
  expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
});

describe('rejected refunds', () => {
  test('invalid bodies: each error named', async () => {
    const tenant = await createPayTenant(sql);
    const { id } = await paidInvoice(tenant.apiKey);
    for (const [body, fields] of [
      [{ amount: 0 }, ['amount']],
      [{ amount: 1.5, reason: ' ' }, ['amount', 'reason']],
      [{ amount: '1', reason: 'x'.repeat(141) }, ['amount', 'reason']],
      [{ amount: 10001 }, ['amount']],
    ] as const)
      expect(faultsOf(await refund(tenant, id, body), 422, 'validation_error')).toEqual(fields);
    const above = await refund(tenant, id, { amount: 10001 });
    expect(above.body.errors[0].message).toBe('must be at most 10000, which is what is left to refund');
    expect(await refundsOf(tenant, id)).toEqual([]);
    expect((await refunded(tenant, id, { amount: null, reason: null, other: 1 })).amount).toBe(10000);
  });

  test('unpaid, without a rest, or paid more than 90 days ago', async () => {
    const tenant = await createPayTenant(sql);
    const open = await createInvoice(tenant.apiKey);
    faultsOf(await refund(tenant, open.id), 409, 'invoice_not_refundable');
    const paid = await paidInvoice(tenant.apiKey);
    await refunded(tenant, paid.id);
    const again = await refund(tenant, paid.id);
    expect([again.status, again.body.code, again.body.detail]).toEqual([
      409,
      'invoice_not_refundable',
      'Nothing is left to refund.',
    ]);
    const [pix, card] = [
      await paidInvoice(tenant.apiKey),
      await paidInvoice(tenant.apiKey, {
        payment_method: { type: 'card', return_url: 'https://shop.example' },
      }),
    ];
    await sql`update invoices set paid_at = now() - interval '91 days' where tenant_id = ${tenant.id}`;
    faultsOf(await refund(tenant, pix.id), 409, 'refund_window_expired');
    await refunded(tenant, card.id);
  });

  test('never more than was paid, even concurrently: of twenty refunds of 60 %, one', async () => {
    const tenant = await createPayTenant(sql);
    const { id } = await paidInvoice(tenant.apiKey);
    const replies = await Promise.all(Array.from({ length: 20 }, () => refund(tenant, id, { amount: 6000 })));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 422)).toHaveLength(19);
    const whole = await Promise.all([refund(tenant, id), refund(tenant, id)]);
    expect(whole.map(({ status }) => status).sort()).toEqual([201, 409]);
    const [{ sum } = {}] = await sql`
      select sum(amount)::integer as sum from private.sandbox_refunds where charge = ${id}`;
    expect(sum).toBe(10000);
  });
});

describe('amounts in the sandbox', () => {
  test('13 and 31 are rejected: no refund, nothing reserved, no event', async () => {
    const tenant = await createPayTenant(sql);
    const { id } = await paidInvoice(tenant.apiKey);
    const key = crypto.randomUUID();
    const refused = await refund(tenant, id, { amount: 9913 }, { key });
    expect([refused.status, refused.body.code, refused.body.retryable]).toEqual([
      502,
      'provider_error',
      false,
    ]);
    expect((await refund(tenant, id, { amount: 9913 }, { key })).body.retryable).toBe(false);
    faultsOf(await refund(tenant, id, { amount: 9931 }), 409, 'insufficient_balance');
    expect(await refundsOf(tenant, id)).toEqual([]);
    expect((await refunded(tenant, id)).amount).toBe(10000);
    expect(await sql`select from refunds where tenant_id = ${tenant.id}`).toHaveLength(1);
  });

  test('17 fails later, and its amount can be refunded again', async () => {
    const tenant = await createPayTenant(sql);
    const { id } = await paidInvoice(tenant.apiKey);
    const failed = await untilRefund(tenant, await refunded(tenant, id, { amount: 9917 }), 'failed');
    expect(failed).toMatchObject({ failure_reason: 'Rejected by the sandbox.', pending_reason: null });
    expect((await refunded(tenant, id)).amount).toBe(10000);
    expect((await returnEvents(sql, tenant)).slice(0, 2)).toEqual([
      'invoice.refund.created',
      'invoice.refund.failed',
    ]);
    expect(await entriesOf(tenant, failed.id)).toEqual([]);
  });

  test('19 loses the response once, 27 is reported twice: once each', async () => {
    const tenant = await createPayTenant(sql);
    const { id } = await paidInvoice(tenant.apiKey);
    const key = crypto.randomUUID();
    const lost = await refund(tenant, id, { amount: 1019 }, { key });
    expect([lost.status, lost.body.retryable]).toEqual([502, true]);
    expect((await refund(tenant, id, { amount: 9000 })).status).toBe(422);
    const made = await refunded(tenant, id, { amount: 1019 }, { key });
    const twice = await refunded(tenant, id, { amount: 1027 });
    await untilRefund(tenant, made, 'succeeded');
    await untilRefund(tenant, twice, 'succeeded');
    expect(
      (await entriesOf(tenant, id))
        .slice(0, 2)
        .map(([, amount]: [string, number]) => amount)
        .sort(),
    ).toEqual([-1019, -1027]);
    expect((await returnEvents(sql, tenant)).filter((type) => type === 'invoice.refunded')).toHaveLength(2);
  });
});

test('a boleto: only fully, pending with a page until its payer used it', async () => {
  const tenant = await createPayTenant(sql);
  const { id } = await paidInvoice(tenant.apiKey, { payment_method: { type: 'boleto' } });
  expect(faultsOf(await refund(tenant, id, { amount: 5000 }), 422, 'validation_error')).toEqual(['amount']);
  const made = await refunded(tenant, id);
  expect(made).toMatchObject({ status: 'pending', pending_reason: 'waiting_for_payer' });
  expect((await fetch(made.action_url)).status).toBe(200);
  const settled = await pay(tenant.apiKey, `/sandbox/refunds/${made.id}/settle`, {});
  expect([settled.status, settled.body.status]).toEqual([200, 'succeeded']);
  expect((await fetch(made.action_url)).status).toBe(404);
  faultsOf(await pay(tenant.apiKey, `/sandbox/refunds/${made.id}/settle`, {}), 409, 'conflict');
});

test('a refund that does not end within 90 days has failed', async () => {
  const tenant = await createPayTenant(sql);
  const { id } = await paidInvoice(tenant.apiKey, { payment_method: { type: 'boleto' } });
  const made = await refunded(tenant, id);
  await sql`update refunds set created = now() - interval '91 days' where id = ${made.id}`;
  await sql`update jobs set due_at = now(), published_at = null where name = 'follow-refund' and key = ${made.id}`;
  const failed = await untilRefund(tenant, made, 'failed');
  expect(failed.failure_reason).toBe('The provider did not complete the refund within 90 days.');
});

describe('disputes', () => {
  const dispute = ({ apiKey }: Tenant, id: string, outcome?: string) =>
    pay(apiKey, `/sandbox/invoices/${id}/dispute`, { outcome });

  test('PIX, lost: no refund while it is open, nothing left afterwards', async () => {
    const tenant = await createPayTenant(sql);
    const { id } = await paidInvoice(tenant.apiKey);
    const open = await dispute(tenant, id);
    expect(open.body.dispute).toEqual({
      status: 'open',
      kind: 'pix_infraction',
      amount: 10000,
      opened_at: expect.any(String),
      closed_at: null,
    });
    expect((await refund(tenant, id)).body.detail).toContain('disputed');
    const lost = await dispute(tenant, id, 'lost');
    expect(lost.body).toMatchObject({ status: 'paid', dispute: { status: 'lost' } });
    expect(await entriesOf(tenant, id)).toEqual([
      ['chargeback', -10000, 0],
      ['balance_released', 10000, 0],
      ['balance_blocked', -10000, 0],
      ['charge', 10000, 100],
    ]);
    faultsOf(await refund(tenant, id), 409, 'invoice_not_refundable');
    faultsOf(await dispute(tenant, id, 'won'), 409, 'conflict');
    expect(await returnEvents(sql, tenant)).toEqual(['invoice.disputed', 'invoice.dispute_closed']);
  });

  test('by card, won: then it can be refunded', async () => {
    const tenant = await createPayTenant(sql);
    const card = { payment_method: { type: 'card', return_url: 'https://shop.example' } };
    const { id } = await paidInvoice(tenant.apiKey, card);
    const won = await dispute(tenant, id, 'won');
    expect(won.body.dispute).toMatchObject({ status: 'won', kind: 'chargeback' });
    await untilRefund(tenant, await refunded(tenant, id), 'succeeded');
    const other = await createInvoice(tenant.apiKey);
    faultsOf(await dispute(tenant, other.id), 409, 'invoice_not_payable');
    expect(faultsOf(await dispute(tenant, id, 'maybe'), 422, 'validation_error')).toEqual(['outcome']);
    const whole = await paidInvoice(tenant.apiKey);
    await refunded(tenant, whole.id);
    faultsOf(await dispute(tenant, whole.id), 409, 'conflict');
    await untilStatus(tenant.apiKey, `/invoices/${whole.id}`, 'paid');
  });
});
