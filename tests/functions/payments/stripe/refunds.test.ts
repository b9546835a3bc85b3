// Refunds at Stripe: of cards, of bank payments, refunds that fail late, and refunds that wait for a balance.
import { describe, expect, inject, test } from 'vitest';
import { chargeOrderOf } from '../../../../shared/payments/invoices/order.ts';
import { createStripeProvider } from '../../../../shared/payments/providers/stripe/provider.ts';
import { silentLogger } from '../../../../shared/platform/logger.ts';
import { connectDatabase } from '../../../support/database.ts';
import {
  type ConnectedStripe,
  connectedStripe,
  due,
  entriesOf,
  expectReconciled,
  stripeSums,
  waitForNotifications,
} from '../../../support/payments/connected-wise-stripe.ts';
import { faultsOf, get, untilStatus } from '../../../support/payments/payment-flows.ts';
import { refund, refunded, refundsOf, returnEvents, untilRefund } from '../../../support/payments/refunds.ts';
import {
  chargeIdOf,
  createStripeInvoice,
  intentIdOf,
  submit,
} from '../../../support/payments/stripe-invoices.ts';
import { noHurry } from '../../../support/payments/stripe-world.ts';
import { waitFor } from '../../../support/wait-for.ts';

const sql = connectDatabase(undefined, { announces: true });

async function paidByCard(stripe: ConnectedStripe) {
  const made = await createStripeInvoice(sql, stripe, 'card');
  await submit(stripe, made);
  const { fee } = await untilStatus(stripe.apiKey, made.path, 'paid');
  return { ...made, fee };
}

/** The payer paid the first page and, on a second one that was still open, again. */
async function paidTwice() {
  const stripe = await connectedStripe(sql);
  const made = await paidByCard(stripe);
  const [row] = await sql`select to_jsonb(i) as invoice from invoices i where id = ${made.id}`;
  const { charges } = createStripeProvider(
    {
      id: stripe.id,
      tenantId: stripe.tenant.id,
      provider: 'stripe',
      key: stripe.account.apiKey,
      webhookSecret: null,
      settings: {},
    },
    {
      addresses: {
        ASAAS_URL: '',
        WISE_URL: '',
        WISE_VERSION: '',
        WISE_PUBLIC_KEY: '',
        STRIPE_URL: inject('env').STRIPE_URL ?? '',
      },
      log: silentLogger,
    },
  );
  const madeAt = new Date();
  const page = await charges?.pages?.renew(chargeOrderOf(row?.invoice), { n: 2, madeAt }, noHurry);
  const pages = [{ n: 2, made_at: madeAt.toISOString(), ...page }];
  await sql`update invoices set checkout_sessions = ${sql.json(pages)} where id = ${made.id}`;
  await stripe.control.pay(stripe.account.id, page?.reference ?? '');
  await waitFor(async () => (await get(stripe.apiKey, made.path)).paid_amount === 20_000);
  return { stripe, made };
}

const available = async ({ control, account }: ConnectedStripe) =>
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
  expect(await available(stripe)).toMatchObject([{ amount: 4000, metadata: { placar_refund: part.id } }]);
  await stripe.control.webhookFault({ kind: 'duplicated', times: 20, account: stripe.account.id });
  await stripe.control.refund(stripe.account.id, await chargeIdOf(stripe, made), { amount: 2500 });
  await waitFor(async () => (await refundsOf(stripe, made.id)).length === 2);
  expect((await refund(stripe, made.id, { amount: 3501 })).status).toBe(422);
  expect((await refunded(stripe, made.id)).amount).toBe(3500);
  await waitForNotifications(sql, stripe);
  expect(await entriesOf(sql, made.id)).toEqual([
    ['charge', 'USD', 10_000, made.fee],
    ['refund', 'USD', -4000, 0],
    ['refund', 'USD', -2500, 0],
    ['refund', 'USD', -3500, 0],
  ]);
  expect(await available(stripe)).toHaveLength(3);
  await expectReconciled(sql, stripe, () => stripeSums(stripe));
});

test('a refund that the bank returns long after it succeeded: refund_reversed, and its amount can be refunded again', async () => {
  const stripe = await connectedStripe(sql);
  const made = await paidByCard(stripe);
  const part = await refunded(stripe, made.id, { amount: 4000 });
  expect(part.status).toBe('succeeded');
  const [at] = await available(stripe);
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
  await waitForNotifications(sql, stripe);
  await expectReconciled(sql, stripe, () => stripeSums(stripe));
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
  const [at] = await available(stripe);
  await stripe.control.concludeRefund(stripe.account.id, at?.id ?? '', { outcome: 'succeeded' });
  await untilRefund(stripe, part, 'succeeded');
  await expectReconciled(sql, stripe, () => stripeSums(stripe));
});

test('pending for more than 90 days with its money moved: followed until Stripe ends it', async () => {
  const stripe = await connectedStripe(sql, { options: { bankRefundMs: 3_600_000, processingMs: 0 } });
  const made = await createStripeInvoice(sql, stripe, 'ach_debit');
  await submit(stripe, made);
  await untilStatus(stripe.apiKey, made.path, 'paid');
  const part = await refunded(stripe, made.id, { amount: 4000 });
  expect(part.status).toBe('pending');
  await waitForNotifications(sql, stripe);
  await sql`update refunds set created = created - interval '91 days' where id = ${part.id}`;
  await due(sql, 'follow-refund', part.id);
  await stripe.control.webhookFault({ kind: 'lost', times: 10, account: stripe.account.id });
  const [at] = await available(stripe);
  await stripe.control.concludeRefund(stripe.account.id, at?.id ?? '', { outcome: 'succeeded' });
  await due(sql, 'follow-refund', part.id);
  await untilRefund(stripe, part, 'succeeded');
  await expectReconciled(sql, stripe, () => stripeSums(stripe));
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
    expect(await available(stripe)).toHaveLength(1);
    expect((await refund(stripe, made.id, { amount: 6001 })).status).toBe(422);
    await waitForNotifications(sql, stripe);
    await expectReconciled(sql, stripe, () => stripeSums(stripe));
  },
);

describe('an invoice that was paid on two pages', () => {
  test('is refunded up to both payments, each of them once', async () => {
    const { stripe, made } = await paidTwice();
    expect(faultsOf(await refund(stripe, made.id), 422, 'validation_error')).toEqual(['amount']);
    const results = await Promise.all(
      Array.from({ length: 3 }, () => refund(stripe, made.id, { amount: 10_000 })),
    );
    expect(results.map(({ status }) => status).toSorted()).toEqual([201, 201, 409]);
    const atStripe = await available(stripe);
    expect(new Set(atStripe.map(({ payment_intent }) => payment_intent)).size).toBe(2);
    await waitForNotifications(sql, stripe);
    expect((await entriesOf(sql, made.id)).filter(([reason]) => reason === 'refund')).toHaveLength(2);
    await expectReconciled(sql, stripe, () => stripeSums(stripe));
  });

  test('a refund of the second payment whose response is lost is found there', async () => {
    const { stripe, made } = await paidTwice();
    await refunded(stripe, made.id, { amount: 10_000 });
    const key = crypto.randomUUID();
    await stripe.control.fault({
      kind: 'cut_after',
      method: 'POST',
      path: '/v1/refunds',
      account: stripe.account.id,
    });
    expect((await refund(stripe, made.id, { amount: 6000 }, { key })).body.retryable).toBe(true);
    expect((await refunded(stripe, made.id, { amount: 6000 }, { key })).status).toBe('succeeded');
    expect((await available(stripe)).map(({ amount }) => amount)).toEqual([10_000, 6000]);
    await expectReconciled(sql, stripe, () => stripeSums(stripe));
  });
});

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
  await waitForNotifications(sql, stripe);
  expect(await returnEvents(sql, stripe.tenant)).toEqual(['invoice.disputed', 'invoice.dispute_closed']);
});
