// Events after a payment with Stripe: refunds, disputes, and bank transfers with another amount.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../../support/database.ts';
import {
  connectedStripe,
  entriesOf,
  expectReconciled,
  stripeSums,
  untilEvents,
  waitForNotifications,
} from '../../../support/payments/connected-wise-stripe.ts';
import { get, untilStatus } from '../../../support/payments/payment-flows.ts';
import {
  chargeIdOf,
  createStripeInvoice,
  intentIdOf,
  submit,
} from '../../../support/payments/stripe-invoices.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { createWebhook } from '../../../support/webhooks/webhooks.ts';

const sql = connectDatabase(undefined, { announces: true });

const untilEntries = (id: string, count: number) =>
  waitFor(async () => {
    const entries = await entriesOf(sql, id);
    return entries.length >= count && entries;
  });

async function paidByCard(stripe: Awaited<ReturnType<typeof connectedStripe>>) {
  const made = await createStripeInvoice(sql, stripe, 'card');
  await submit(stripe, made);
  const { fee } = await untilStatus(stripe.apiKey, made.path, 'paid');
  return { ...made, fee, charge: await chargeIdOf(stripe, made) };
}

test('partial and full refunds, each once, announced to endpoints that name them', async () => {
  const stripe = await connectedStripe(sql);
  const all = await createWebhook(sql, stripe.tenant.id, `${'http://127.0.0.1:9'}/all`);
  const named = await createWebhook(sql, stripe.tenant.id, `${'http://127.0.0.1:9'}/named`, [
    'invoice.refunded',
  ]);
  const { id, fee, charge, path } = await paidByCard(stripe);
  await stripe.control.webhookFault({ kind: 'duplicated', times: 20, account: stripe.account.id });
  await stripe.control.refund(stripe.account.id, charge, { amount: 3_000 });
  expect(await untilEntries(id, 2)).toEqual([
    ['charge', 'USD', 10_000, fee],
    ['refund', 'USD', -3_000, 0],
  ]);
  await waitForNotifications(sql, stripe);
  await stripe.control.refund(stripe.account.id, charge);
  expect(await untilEntries(id, 3)).toContainEqual(['refund', 'USD', -7_000, 0]);
  await waitForNotifications(sql, stripe);
  await untilEvents(sql, stripe.tenant, 'invoice.refunded', 2);
  expect((await get(stripe.apiKey, path)).status).toBe('paid');
  const told = await sql`
    select distinct endpoint_id, type from admin.webhook_deliveries
    where tenant_id = ${stripe.tenant.id} order by type`;
  expect(told.filter(({ type }) => type === 'invoice.refunded')).toEqual([
    { endpoint_id: named.id, type: 'invoice.refunded' },
  ]);
  expect(told.filter(({ endpoint_id }) => endpoint_id === all.id)).not.toContainEqual(
    expect.objectContaining({ type: 'invoice.refunded' }),
  );
  await expectReconciled(sql, stripe, () => stripeSums(stripe));
});

test('a refund that the bank rejects is reversed', async () => {
  const stripe = await connectedStripe(sql);
  const { id, charge } = await paidByCard(stripe);
  const refund = await stripe.control.refund(stripe.account.id, charge, { amount: 3_000 });
  await untilEntries(id, 2);
  await stripe.control.concludeRefund(stripe.account.id, refund.id, { outcome: 'failed' });
  expect(await untilEntries(id, 3)).toContainEqual(['refund_reversed', 'USD', 3_000, 0]);
  await expectReconciled(sql, stripe, () => stripeSums(stripe));
});

describe('disputes', () => {
  test.each(['won', 'lost'] as const)('%s', async (outcome) => {
    const stripe = await connectedStripe(sql, { options: { disputeFeeReturned: outcome === 'won' } });
    const { id, charge } = await paidByCard(stripe);
    const { id: dispute } = await stripe.control.dispute(stripe.account.id, charge);
    expect(await untilEntries(id, 2)).toContainEqual(['chargeback', 'USD', -11_500, 0]);
    await stripe.control.closeDispute(stripe.account.id, dispute, outcome);
    if (outcome === 'won')
      expect(await untilEntries(id, 3)).toContainEqual(['chargeback_won', 'USD', 11_500, 0]);
    await waitForNotifications(sql, stripe);
    expect(await entriesOf(sql, id)).toHaveLength(outcome === 'won' ? 3 : 2);
    await expectReconciled(sql, stripe, () => stripeSums(stripe));
    expect(
      await sql`select type from events where tenant_id = ${stripe.tenant.id} and type = 'invoice.disputed'`,
    ).not.toHaveLength(0);
  });
});

describe('bank transfers', () => {
  test.each(['USD', 'EUR'])('in parts, then too much, in %s', async (currency) => {
    const stripe = await connectedStripe(sql);
    const made = await createStripeInvoice(sql, stripe, 'bank_transfer', currency);
    await submit(stripe, made);
    const intent = await intentIdOf(stripe, made);
    await stripe.control.transfer(stripe.account.id, intent, 4_000);
    expect(await untilEntries(made.id, 1)).toEqual([['partial_payment', currency, 4_000, 0]]);
    expect((await get(stripe.apiKey, made.path)).status).toBe('open');
    await stripe.control.transfer(stripe.account.id, intent, 7_000);
    const { fee } = await untilStatus(stripe.apiKey, made.path, 'paid');
    await waitForNotifications(sql, stripe);
    // A check between two movements adds another entry, and reverses it later.
    const sums = await sql`
      select coalesce(reason, type) as what, sum(amount)::integer as sum from balance_transactions
      where invoice_id = ${made.id} group by 1 order by 1`;
    expect(sums.map(({ what, sum }) => [what, sum])).toEqual([
      ['charge', 10_000],
      ['overpaid', 1_000],
      ['partial_payment', 0],
    ]);
    expect(await entriesOf(sql, made.id)).toContainEqual(['charge', currency, 10_000, fee]);
    await untilEvents(sql, stripe.tenant, 'invoice.paid');
    await expectReconciled(sql, stripe, () => stripeSums(stripe));
  });

  test('after a refund of a bank transfer, the money at Stripe belongs to the payer', async () => {
    const stripe = await connectedStripe(sql, { options: { bankRefundMs: 0 } });
    const made = await createStripeInvoice(sql, stripe, 'bank_transfer', 'EUR');
    await submit(stripe, made);
    await stripe.control.transfer(stripe.account.id, await intentIdOf(stripe, made), 4_000);
    await untilEntries(made.id, 1);
    await expectReconciled(sql, stripe, () => stripeSums(stripe));
    await stripe.control.transfer(stripe.account.id, await intentIdOf(stripe, made));
    await untilStatus(stripe.apiKey, made.path, 'paid');
    await stripe.control.refund(stripe.account.id, await chargeIdOf(stripe, made), { amount: 2_500 });
    await untilEvents(sql, stripe.tenant, 'invoice.refunded');
    await waitForNotifications(sql, stripe);
    await expectReconciled(sql, stripe, () => stripeSums(stripe));
  });
});
