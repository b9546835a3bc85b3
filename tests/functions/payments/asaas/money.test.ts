// Movements of charges and payouts at Asaas, in the ledger: once each, with the correct reason and source.
import { describe, expect, test } from 'vitest';
import {
  type AsaasTenant,
  connectAsaasTenant,
  entriesOf,
  waitForNotifications,
} from '../../../support/payments/asaas-tenant.ts';
import { connectAdmin, openDifferences, reconcile } from '../../../support/payments/connected-tenant.ts';
import { createInvoice, createPayout, get, untilStatus } from '../../../support/payments/payment-flows.ts';
import { pay, pixPayout } from '../../../support/payments/payments.ts';
import { sweepNow } from '../../../support/sweep.ts';
import { waitFor } from '../../../support/wait-for.ts';

const sql = connectAdmin();

const charge = { type: 'charge', amount: 10000, fee: 199, net: 9801, reason: null };
const adjustment = (reason: string, amount: number) => ({
  type: 'adjustment',
  amount,
  fee: 0,
  net: amount,
  reason,
});

/** Waits until the ledger of an invoice or payout has these entries. */
async function untilEntries(tenant: AsaasTenant, id: string, expected: object[]): Promise<void> {
  await waitFor(async () => (await entriesOf(sql, tenant, id)).length >= expected.length).catch(() => {});
  await waitForNotifications(sql, tenant);
  expect([...(await entriesOf(sql, tenant, id))]).toEqual(expected);
}

/** The statement and the ledger of an account agree, and nothing is unexplained. */
async function expectReconciled(tenant: AsaasTenant): Promise<void> {
  await reconcile(sql, tenant);
  expect([...(await openDifferences(sql, tenant))]).toEqual([]);
  const [{ balance = 0 } = {}] = await sql`
    select coalesce(sum(net), 0)::integer as balance from balance_transactions where tenant_id = ${tenant.id}`;
  const { statement } = await tenant.control.account(tenant.asaasId);
  expect(balance).toBe(statement.at(-1)?.balance ?? 0);
}

/** Runs the planned check of its open invoices. */
async function expireNow(tenant: AsaasTenant): Promise<void> {
  await sql`
    update jobs set due_at = now(), published_at = null where tenant_id = ${tenant.id} and name = 'expire-invoice'`;
  await sweepNow();
}

async function paidCharge(tenant: AsaasTenant, details: object = {}) {
  const made = await createInvoice(tenant.apiKey, { contractor_reference: 'order-7' });
  await tenant.payment(made.id, 'pay', details);
  return await untilStatus(tenant.apiKey, `/invoices/${made.id}`, 'paid');
}

test('fee and day as Asaas reports them, and a confirmed card payment', async () => {
  const tenant = await connectAsaasTenant(sql, {
    options: { fees: { pix: 123, cardFixed: 50, cardPercent: 2 } },
  });
  const pix = await paidCharge(tenant);
  expect([pix.fee, pix.net]).toEqual([123, 9877]);
  const made = await createInvoice(tenant.apiKey, {
    payment_method: { type: 'card', return_url: 'https://shop.example/thanks' },
  });
  await tenant.payment(made.id, 'pay', { billingType: 'CREDIT_CARD' });
  const card = await untilStatus(tenant.apiKey, `/invoices/${made.id}`, 'paid');
  expect([card.fee, card.net]).toEqual([250, 9750]);
  const [payment] = await tenant.there('payments', made.id);
  const { data } = await get(tenant.apiKey, `/balance-transactions?source=${made.id}`);
  expect(data).toMatchObject([{ type: 'charge', available_on: payment.creditDate }]);
});

describe('late payments', () => {
  test('after the expiry', async () => {
    const tenant = await connectAsaasTenant(sql);
    const made = await createInvoice(tenant.apiKey);
    await sql`update invoices set expires_at = now() - interval '1 second' where id = ${made.id}`;
    await expireNow(tenant);
    await untilStatus(tenant.apiKey, `/invoices/${made.id}`, 'failed');
    expect(await tenant.there('payments', made.id)).toMatchObject([{ deleted: true }]);
    await tenant.payment(made.id, 'pay');
    await untilStatus(tenant.apiKey, `/invoices/${made.id}`, 'paid');
    await untilEntries(tenant, made.id, [charge]);
  });

  test('after the cancellation', async () => {
    const tenant = await connectAsaasTenant(sql);
    const made = await createInvoice(tenant.apiKey);
    expect((await pay(tenant.apiKey, `/invoices/${made.id}/cancel`, {})).body.status).toBe('canceled');
    await tenant.payment(made.id, 'pay');
    await untilStatus(tenant.apiKey, `/invoices/${made.id}`, 'paid');
    await untilEntries(tenant, made.id, [charge]);
    await expectReconciled(tenant);
  });
});

describe('amounts that differ from the order', () => {
  test('paid twice', async () => {
    const tenant = await connectAsaasTenant(sql, { balance: 0 });
    const { id } = await paidCharge(tenant);
    await tenant.payment(id, 'pay-again');
    await untilEntries(tenant, id, [
      charge,
      adjustment('overpaid', 10000),
      adjustment('fee_correction', -199),
    ]);
    await expectReconciled(tenant);
    // The second one is partially refunded. This does not change, however often both are compared.
    const twin = (await tenant.there('payments', id)).at(-1);
    await tenant.control.payment(tenant.asaasId, twin.id, 'refund', { value: 30 });
    const entries = [
      charge,
      adjustment('overpaid', 10000),
      adjustment('fee_correction', -199),
      adjustment('refund', -3000),
    ];
    await untilEntries(tenant, id, entries);
    await expectReconciled(tenant);
    await untilEntries(tenant, id, entries);
  });

  test('paid twice, and a comparison that sees only one of the payments', async () => {
    const tenant = await connectAsaasTenant(sql, { balance: 0 });
    const { id } = await createInvoice(tenant.apiKey, {
      payment_method: { type: 'card', return_url: 'https://shop.example/thanks' },
    });
    await tenant.payment(id, 'pay', { billingType: 'CREDIT_CARD' });
    await tenant.payment(id, 'pay-again');
    const [first, twin] = await tenant.there('payments', id);
    await tenant.control.payment(tenant.asaasId, twin.id, 'refund');
    await waitForNotifications(sql, tenant);
    const totals = () => sql`
      select reason, count(*)::integer, sum(net)::integer as net from balance_transactions
      where tenant_id = ${tenant.id} and invoice_id = ${id} group by reason order by reason`;
    const before = [...(await totals())];
    expect(before).toContainEqual({ reason: 'refund', count: 1, net: -10000 });
    expect((await tenant.there('payments', id)).map(({ status }) => status)).toEqual([
      first.status,
      'REFUNDED',
    ]);
    // Weeks later: only charges that are confirmed and not credited are still listed.
    await sql`update provider_accounts set reconciled_at = now() + interval '9 days' where id = ${tenant.accountId}`;
    await reconcile(sql, tenant);
    expect([...(await totals())]).toEqual(before);
  });

  test('paid twice, as a credit that only the statement shows', async () => {
    const tenant = await connectAsaasTenant(sql, { balance: 0 });
    const { id } = await paidCharge(tenant);
    await tenant.payment(id, 'pay-again', { as: 'credit' });
    await expectReconciled(tenant);
    await expectReconciled(tenant);
    const entries = await entriesOf(sql, tenant);
    expect(entries.map(({ net, reason }) => [net, reason])).toEqual([
      [9801, null],
      [10000, 'overpaid'],
    ]);
  });

  test('too much', async () => {
    const tenant = await connectAsaasTenant(sql, { balance: 0 });
    const { id } = await paidCharge(tenant, { value: 120 });
    await untilEntries(tenant, id, [charge, adjustment('overpaid', 2000)]);
    await expectReconciled(tenant);
  });

  test('a partial payment: still open, and recorded in the ledger', async () => {
    const tenant = await connectAsaasTenant(sql, { balance: 0 });
    const made = await createInvoice(tenant.apiKey);
    await tenant.payment(made.id, 'pay', { value: 40 });
    await untilEntries(tenant, made.id, [adjustment('partial_payment', 3801)]);
    expect((await get(tenant.apiKey, `/invoices/${made.id}`)).status).toBe('open');
    await expectReconciled(tenant);
  });
});

describe('returned money', () => {
  test('partial refunds and the rest: once each, on the invoice, announced to subscribers', async () => {
    const tenant = await connectAsaasTenant(sql);
    const { id } = await paidCharge(tenant);
    await tenant.payment(id, 'refund', { value: 30 });
    await untilEntries(tenant, id, [charge, adjustment('refund', -3000)]);
    await tenant.payment(id, 'refund');
    await untilEntries(tenant, id, [charge, adjustment('refund', -3000), adjustment('refund', -7000)]);
    const { data } = await get(tenant.apiKey, `/balance-transactions?source=${id}&type=adjustment`);
    const { our_number } = await get(tenant.apiKey, `/invoices/${id}`);
    const of = { source: { resource: 'invoice', id }, our_number, contractor_reference: 'order-7' };
    expect(data).toMatchObject([
      { amount: -7000, reason: 'refund', ...of },
      { amount: -3000, reason: 'refund', ...of },
    ]);
    await reconcile(sql, tenant);
    await untilEntries(tenant, id, [charge, adjustment('refund', -3000), adjustment('refund', -7000)]);
    expect((await get(tenant.apiKey, `/invoices/${id}`)).status).toBe('paid');
  });

  test('a denied refund is reversed', async () => {
    const tenant = await connectAsaasTenant(sql, { balance: 0, options: { refundMs: 3_600_000 } });
    const { id } = await paidCharge(tenant);
    await tenant.payment(id, 'refund', { value: 30 });
    await tenant.payment(id, 'refund/denied');
    await untilEntries(tenant, id, [charge]);
    await expectReconciled(tenant);
  });

  test('its events go only to endpoints that name them', async () => {
    const tenant = await connectAsaasTenant(sql);
    const endpoint = async (events: string[] | null) =>
      (
        await sql`select id from admin.create_payment_webhook(${tenant.id}, 'https://hooks.example/x', ${events})`
      )[0]?.id;
    const everything = await endpoint(null);
    const named = await endpoint(['invoice.refunded', 'invoice.disputed']);
    const { id } = await paidCharge(tenant);
    await tenant.payment(id, 'refund', { value: 30 });
    await untilEntries(tenant, id, [charge, adjustment('refund', -3000)]);
    const other = await paidCharge(tenant);
    await tenant.payment(other.id, 'chargeback', { step: 'request' });
    await untilEntries(tenant, other.id, [charge, adjustment('chargeback', -10000)]);
    const delivered = async (to: string) =>
      (await sql`select type from admin.webhook_deliveries where endpoint_id = ${to} order by type`).map(
        (d) => d.type,
      );
    await waitFor(async () => (await delivered(named)).length === 2);
    expect(await delivered(named)).toEqual(['invoice.disputed', 'invoice.refunded']);
    expect(await delivered(everything)).toEqual(['invoice.paid', 'invoice.paid']);
  });

  test('a chargeback, disputed and won', async () => {
    const tenant = await connectAsaasTenant(sql, { balance: 0 });
    const { id } = await paidCharge(tenant);
    await tenant.payment(id, 'chargeback', { step: 'request' });
    const taken = [charge, adjustment('chargeback', -10000)];
    await untilEntries(tenant, id, taken);
    await tenant.payment(id, 'chargeback', { step: 'dispute' });
    await tenant.payment(id, 'chargeback', { step: 'won' });
    await untilEntries(tenant, id, taken);
    await expectReconciled(tenant);
    await tenant.payment(id, 'chargeback', { step: 'reversed' });
    await expectReconciled(tenant);
    await untilEntries(tenant, id, [...taken, adjustment('chargeback_won', 10000)]);
  });

  test('a returned transfer has failed, and its money is back', async () => {
    const tenant = await connectAsaasTenant(sql);
    const { id } = await createPayout(tenant.apiKey);
    await untilStatus(tenant.apiKey, `/payouts/${id}`, 'paid');
    const [transfer] = await tenant.there('transfers', id);
    await tenant.control.transfer(tenant.asaasId, transfer.id, { step: 'return', show: 'FAILED' });
    await reconcile(sql, tenant);
    await untilStatus(tenant.apiKey, `/payouts/${id}`, 'failed');
    expect(await entriesOf(sql, tenant, id)).toMatchObject([
      { type: 'payout', net: -5000 },
      { type: 'adjustment', net: 5000, reason: 'returned' },
    ]);
    await expectReconciled(tenant);
  });

  test('a transfer that fails late returns its fee, which only the statement shows: recorded once', async () => {
    const tenant = await connectAsaasTenant(sql, { options: { fees: { transfer: 200 } } });
    const { id } = await createPayout(tenant.apiKey, pixPayout({ contractor_reference: 'prize-1' }));
    await untilStatus(tenant.apiKey, `/payouts/${id}`, 'paid');
    const [transfer] = await tenant.there('transfers', id);
    await tenant.control.transfer(tenant.asaasId, transfer.id, { step: 'return', show: 'FAILED', fee: true });
    const entries = [
      { type: 'payout', amount: -5000, fee: 200, net: -5200, reason: null },
      adjustment('returned', 5000),
      adjustment('fee_correction', 200),
    ];
    await expectReconciled(tenant);
    await expectReconciled(tenant);
    await untilEntries(tenant, id, entries);
    const { data } = await get(tenant.apiKey, `/balance-transactions?source=${id}&type=adjustment`);
    expect(data[0]).toMatchObject({
      reason: 'fee_correction',
      source: { resource: 'payout', id },
      contractor_reference: 'prize-1',
    });
    // A report that contains the line later changes nothing.
    const report = {
      providerReference: transfer.id,
      state: { status: 'failed', at: new Date(), feeMinor: 0 },
    };
    const [applied] = await sql
      .begin((tx) => [
        tx`set local role worker`,
        tx`select app.apply_order_report('payouts', ${id}, ${tenant.accountId}, now(), ${tx.json(report as never)}) as outcome`,
      ])
      .then(([, rows]) => rows ?? []);
    expect(applied).toEqual({ outcome: 'known' });
    await expectReconciled(tenant);
    await untilEntries(tenant, id, entries);
  });

  test('a part of a transfer returns while the transfer stays done', async () => {
    const tenant = await connectAsaasTenant(sql);
    const { id } = await createPayout(tenant.apiKey);
    await untilStatus(tenant.apiKey, `/payouts/${id}`, 'paid');
    const [transfer] = await tenant.there('transfers', id);
    await tenant.control.transfer(tenant.asaasId, transfer.id, { step: 'return', value: 20 });
    await expectReconciled(tenant);
    expect(await entriesOf(sql, tenant, id)).toMatchObject([
      { type: 'payout', net: -5000 },
      { type: 'adjustment', net: 2000, reason: 'returned' },
    ]);
    expect((await get(tenant.apiKey, `/payouts/${id}`)).status).toBe('paid');
  });
});

test('received in cash: paid, without money at Asaas', async () => {
  const tenant = await connectAsaasTenant(sql, { balance: 0 });
  const made = await createInvoice(tenant.apiKey);
  await tenant.payment(made.id, 'receive-in-cash');
  await untilStatus(tenant.apiKey, `/invoices/${made.id}`, 'paid');
  await untilEntries(tenant, made.id, [
    { ...charge, fee: 0, net: 10000 },
    adjustment('received_outside', -10000),
  ]);
  await expectReconciled(tenant);
});

test('blocked and released balance, and account fees, from the statement: without an order, once', async () => {
  const tenant = await connectAsaasTenant(sql, { balance: 0 });
  await paidCharge(tenant);
  await tenant.control.balance(tenant.asaasId, { step: 'block', value: 40 });
  await tenant.control.statement(tenant.asaasId, {
    type: 'PAYMENT_MESSAGING_NOTIFICATION_FEE',
    value: -0.99,
  });
  await expectReconciled(tenant);
  await tenant.control.balance(tenant.asaasId, { step: 'unblock', value: 40 });
  await expectReconciled(tenant);
  await expectReconciled(tenant);
  const entries = await sql`
    select net::integer, reason, invoice_id, payout_id, provider from balance_transactions
    where tenant_id = ${tenant.id} and type = 'adjustment' order by id`;
  const none = { invoice_id: null, payout_id: null, provider: 'asaas' };
  expect([...entries]).toEqual([
    { net: -4000, reason: 'balance_blocked', ...none },
    { net: -99, reason: 'provider_fee', ...none },
    { net: 4000, reason: 'balance_released', ...none },
  ]);
});

test('a transfer with a fee', async () => {
  const tenant = await connectAsaasTenant(sql, { options: { fees: { transfer: 350 } } });
  const { id } = await createPayout(tenant.apiKey, pixPayout());
  await untilStatus(tenant.apiKey, `/payouts/${id}`, 'paid');
  expect(await entriesOf(sql, tenant, id)).toMatchObject([
    { type: 'payout', amount: -5000, fee: 350, net: -5350 },
  ]);
  await expectReconciled(tenant);
});
