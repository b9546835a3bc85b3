// Refunds at Stripe: of cards, of bank payments, refunds that fail late, and refunds that wait for a balance.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../../support/database.ts';
import {
  type ConnectedStripe,
  connectedStripe,
  entriesOf,
  expectEven,
  stripeSums,
  untilTold,
} from '../../../support/payments/connected-wise-stripe.ts';
import { get, untilStatus } from '../../../support/payments/payment-flows.ts';
import { refund, refunded, refundsOf, returnEvents, untilRefund } from '../../../support/payments/refunds.ts';
import {
  chargeIdOf,
  createStripeInvoice,
  intentIdOf,
  submit,
} from '../../../support/payments/stripe-invoices.ts';
import { waitFor } from '../../../support/wait-for.ts';

const sql = connectDatabase(undefined, { announces: true });

async function paidByCard(stripe: ConnectedStripe) {
  const made = await createStripeInvoice(sql, stripe, 'card');
  await submit(stripe, made);
  const { fee } = await untilStatus(stripe.apiKey, made.path, 'paid');
  return { ...made, fee };
}

const there = async ({ control, account }: ConnectedStripe) =>
  (await control.account(account.id, 'refunds')).refunds;

test('a partial card refund, and one from the dashboard: both count once', async () => {
  const stripe = await connectedStripe(sql);
  const made = await paidByCard(stripe);
  const key = crypto.randomUUID();
  await stripe.control.fault({
    kind: 'cut_after',
    method: 'POST',
    path: '/v1/refunds',
    account: stripe.account.id,
  });
  expect((await refund(stripe, made.id, { amount: 4000 }, { key })).body.retryable).toBe(true);
  const part = await refunded(stripe, made.id, { amount: 4000 }, { key });
  expect(part).toMatchObject({ status: 'succeeded', origin: 'api', currency: 'USD' });
  expect(await there(stripe)).toMatchObject([{ amount: 4000, metadata: { placar_refund: part.id } }]);
  await stripe.control.webhookFault({ kind: 'duplicated', times: 20, account: stripe.account.id });
  await stripe.control.refund(stripe.account.id, await chargeIdOf(stripe, made), { amount: 2500 });
  await waitFor(async () => (await refundsOf(stripe, made.id)).length === 2);
  expect((await refund(stripe, made.id, { amount: 3501 })).status).toBe(422);
  expect((await refunded(stripe, made.id)).amount).toBe(3500);
  await untilTold(sql, stripe);
  expect(await entriesOf(sql, made.id)).toEqual([
    ['charge', 'USD', 10_000, made.fee],
    ['refund', 'USD', -4000, 0],
    ['refund', 'USD', -2500, 0],
    ['refund', 'USD', -3500, 0],
  ]);
  expect(await there(stripe)).toHaveLength(3);
  await expectEven(sql, stripe, () => stripeSums(stripe));
});

test('a refund that the bank returns long after it succeeded: refund_reversed, and its amount can be refunded again', async () => {
  const stripe = await connectedStripe(sql);
  const made = await paidByCard(stripe);
  const part = await refunded(stripe, made.id, { amount: 4000 });
  expect(part.status).toBe('succeeded');
  const [at] = await there(stripe);
  await stripe.control.concludeRefund(stripe.account.id, at?.id ?? '', {
    outcome: 'failed',
    reason: 'lost_or_stolen_card',
  });
  const failed = await untilRefund(stripe, part, 'failed');
  expect(failed.failure_reason).toBe('The refund failed: lost_or_stolen_card.');
  expect((await entriesOf(sql, made.id)).slice(1)).toEqual([
    ['refund', 'USD', -4000, 0],
    ['refund_reversed', 'USD', 4000, 0],
  ]);
  expect((await refunded(stripe, made.id)).amount).toBe(10_000);
  await untilTold(sql, stripe);
  await expectEven(sql, stripe, () => stripeSums(stripe));
  expect((await returnEvents(sql, stripe.tenant)).slice(0, 4)).toEqual([
    'invoice.refund.created',
    'invoice.refund.succeeded',
    'invoice.refunded',
    'invoice.refund.failed',
  ]);
});

test('without enough money it waits, and moves nothing', async () => {
  const stripe = await connectedStripe(sql, { options: { refundsWaitForFunds: true } });
  const made = await paidByCard(stripe);
  const part = await refunded(stripe, made.id, { amount: 4000 });
  expect(part).toMatchObject({ status: 'pending', pending_reason: 'insufficient_funds' });
  expect(await entriesOf(sql, made.id)).toHaveLength(1);
  const [at] = await there(stripe);
  await stripe.control.concludeRefund(stripe.account.id, at?.id ?? '', { outcome: 'succeeded' });
  await untilRefund(stripe, part, 'succeeded');
  await expectEven(sql, stripe, () => stripeSums(stripe));
});

test.each([true, false])(
  'a bank transfer, whose instructions Stripe emails: %s',
  async (refundInstructions) => {
    const stripe = await connectedStripe(sql, { options: { bankRefundMs: 0, refundInstructions } });
    const made = await createStripeInvoice(sql, stripe, 'bank_transfer');
    await submit(stripe, made);
    await stripe.control.transfer(stripe.account.id, await intentIdOf(stripe, made), 10_000);
    await untilStatus(stripe.apiKey, made.path, 'paid');
    const part = await refunded(stripe, made.id, { amount: 4000 });
    await untilRefund(stripe, part, 'succeeded');
    expect(await there(stripe)).toHaveLength(1);
    expect((await refund(stripe, made.id, { amount: 6001 })).status).toBe(422);
    await untilTold(sql, stripe);
    await expectEven(sql, stripe, () => stripeSums(stripe));
  },
);

test('a chargeback sets the dispute, and its amount cannot be refunded', async () => {
  const stripe = await connectedStripe(sql);
  const made = await paidByCard(stripe);
  const { id } = await stripe.control.dispute(stripe.account.id, await chargeIdOf(stripe, made), {
    amount: 5000,
  });
  const dispute = async () => (await get(stripe.apiKey, made.path)).dispute;
  await waitFor(async () => (await dispute())?.status === 'open');
  expect((await refund(stripe, made.id)).body.code).toBe('invoice_not_refundable');
  await stripe.control.closeDispute(stripe.account.id, id, 'lost');
  await waitFor(async () => (await dispute())?.status === 'lost');
  expect(await dispute()).toMatchObject({ kind: 'chargeback', amount: 5000 });
  expect((await refund(stripe, made.id, { amount: 5001 })).status).toBe(422);
  await untilTold(sql, stripe);
  expect(await returnEvents(sql, stripe.tenant)).toEqual(['invoice.disputed', 'invoice.dispute_closed']);
});
