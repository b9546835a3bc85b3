// Refunds, disputes and payouts in the Stripe emulator, and their effects on the balance.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type StripeClient, startStripeForTest, stripeClient } from '../../support/payments/stripe.ts';
import type { Json } from '../../support/payments/vendor-receiver.ts';

let client: StripeClient;
beforeAll(async () => {
  client = await startStripeForTest();
});
beforeEach(async () => {
  client = await stripeClient(client.stripe, { options: { balanceTransactionMs: 0, payouts: 'manual' } });
});
afterAll(() => client.stripe.stop());

const control = () => client.stripe.control;
const id = () => client.account.id;
const total = async (): Promise<number> => {
  const { available, pending } = await client.get('/balance');
  return available[0].amount + pending[0].amount;
};
const events = async (type: string): Promise<Json[]> =>
  (await client.get('/events', { type, limit: 100 })).data;

test('refunds a card in parts, and never more than was paid', async () => {
  const { payment_intent: intent } = await client.paid();
  const first = await client.post('/refunds', {
    payment_intent: intent.id,
    amount: 3000,
    reason: 'duplicate',
  });
  expect(first).toMatchObject({ id: expect.stringMatching(/^re_/), status: 'succeeded', amount: 3000 });
  const entry = await client.get(`/balance_transactions/${first.balance_transaction}`);
  expect(entry).toMatchObject({ type: 'refund', reporting_category: 'refund', amount: -3000, fee: 0 });
  const tooMuch = await client.refused('POST', '/refunds', { charge: intent.latest_charge.id, amount: 7001 });
  expect([tooMuch.param, tooMuch.message]).toEqual(['amount', expect.stringContaining('$70.01')]);
  await client.post('/refunds', { charge: intent.latest_charge.id });
  const charge = await client.get(`/charges/${intent.latest_charge.id}`, { expand: ['refunds'] });
  expect(charge).toMatchObject({ amount_refunded: 10_000, refunded: true });
  expect(charge.refunds.data.map((one: Json) => one.amount)).toEqual([7000, 3000]);
  const again = await client.refused('POST', '/refunds', { payment_intent: intent.id });
  expect(again.code).toBe('charge_already_refunded');
  // The fee of the payment is kept.
  expect(await total()).toBe(-320);
});

test('a refund to a bank is pending, and a failed one returns its money', async () => {
  const { payment_intent: intent } = await client.paid({ allowed_payment_method_types: ['us_bank_account'] });
  const early = await client.refused('POST', '/refunds', { payment_intent: intent.id });
  expect(early.code).toBe('payment_intent_unexpected_state');
  await control().advance({ seconds: 3 });
  const refund = await client.post('/refunds', { payment_intent: intent.id });
  expect(refund).toMatchObject({
    id: expect.stringMatching(/^pyr_/),
    status: 'pending',
    pending_reason: 'processing',
  });
  expect(await total()).toBe(-80);
  await control().advance({ seconds: 10 });
  expect((await client.get(`/refunds/${refund.id}`)).status).toBe('succeeded');
  await control().concludeRefund(id(), refund.id, { outcome: 'failed', reason: 'declined' });
  const failed = await client.get(`/refunds/${refund.id}`, {
    expand: ['failure_balance_transaction', 'charge'],
  });
  expect(failed).toMatchObject({
    status: 'failed',
    failure_reason: 'declined',
    failure_balance_transaction: { type: 'refund_failure', amount: 10_000 },
    charge: { amount_refunded: 0, refunded: false },
  });
  expect(await total()).toBe(9920);
  expect(await events('refund.failed')).toHaveLength(1);
  expect((await events('refund.updated')).map((event) => event.data.object.status)).toEqual([
    'failed',
    'succeeded',
  ]);
});

test.each([
  ['4000000000007726', ['pending', 'succeeded']],
  ['4000000000005126', ['succeeded', 'failed']],
])('refunds to the test card %s are %j', async (number, states) => {
  const { payment_intent: intent } = await client.paid({}, { number });
  const refund = await client.post('/refunds', { payment_intent: intent.id });
  await control().advance({ seconds: 10 });
  expect([refund.status, (await client.get(`/refunds/${refund.id}`)).status]).toEqual(states);
});

test('a dispute deducts the amount and a fee; if it is won, the amount returns', async () => {
  const { payment_intent: intent } = await client.paid({}, { number: '4000000000000259' });
  await control().advance({ seconds: 2 });
  const [dispute] = (await client.get('/disputes', { payment_intent: intent.id })).data;
  expect(dispute).toMatchObject({ status: 'needs_response', reason: 'fraudulent', amount: 10_000 });
  expect(dispute.balance_transactions).toMatchObject([
    { type: 'adjustment', reporting_category: 'dispute', amount: -10_000, fee: 1500, net: -11_500 },
  ]);
  expect((await client.get(`/charges/${dispute.charge}`)).disputed).toBe(true);
  expect((await client.refused('POST', '/refunds', { charge: dispute.charge })).code).toBe('charge_disputed');
  const evidence = { uncategorized_text: 'winning_evidence' };
  const won = await client.post(`/disputes/${dispute.id}`, { evidence });
  expect(won.status).toBe('won');
  expect(won.balance_transactions[1]).toMatchObject({ reporting_category: 'dispute_reversal', net: 10_000 });
  expect(await total()).toBe(9680 - 1500);
  for (const name of ['created', 'funds_withdrawn', 'funds_reinstated', 'closed']) {
    expect(await events(`charge.dispute.${name}`), name).toHaveLength(1);
  }
});

test('a dispute is lost on request, on its date, and immediately if a bank decides', async () => {
  const byOrder = (await client.paid()).payment_intent.latest_charge.id;
  const byDay = (await client.paid()).payment_intent.latest_charge.id;
  const lost = await control().dispute(id(), byOrder, { amount: 4000 });
  await control().closeDispute(id(), lost.id, 'lost');
  const due = await control().dispute(id(), byDay);
  await control().advance({ days: 11 });
  for (const { id: dispute } of [lost, due]) {
    expect((await client.get(`/disputes/${dispute}`)).status).toBe('lost');
  }
  const debit = await client.paid(
    { allowed_payment_method_types: ['us_bank_account'] },
    { number: '000555555559' },
  );
  await control().advance({ seconds: 5 });
  const [bank] = (await client.get('/disputes', { payment_intent: debit.payment_intent.id })).data;
  expect([bank.status, bank.evidence_details.due_by]).toEqual(['lost', null]);
  expect(await total()).toBe(2 * 9680 + 9920 - 4000 - 2 * 10_000 - 3 * 1500);
});

test('an inquiry deducts nothing, and closes on request or on its date', async () => {
  await client.paid({}, { number: '4000000000001976' });
  await client.paid({}, { number: '4000000000001976' });
  await control().advance({ seconds: 2 });
  const [inquiry, other] = (await client.get('/disputes')).data;
  expect(inquiry).toMatchObject({ status: 'warning_needs_response', balance_transactions: [] });
  await control().closeDispute(id(), inquiry.id, 'won');
  expect((await client.get(`/disputes/${inquiry.id}`)).status).toBe('warning_closed');
  await control().advance({ days: 11 });
  expect((await client.get(`/disputes/${other.id}`)).status).toBe('warning_closed');
  expect(await total()).toBe(2 * 9680);
});

test('the available balance is paid out every day, and a failed payout returns', async () => {
  await control().options(id(), { payouts: 'daily' });
  const { payment_intent: intent } = await client.paid({}, { number: '4000000000000077' });
  const farOff = Math.floor((await control().now()).getTime() / 1000) + 30 * 86_400;
  await control().transaction(id(), { amount: -5, availableOn: farOff });
  await control().advance({ days: 1 });
  const [payout] = (await client.get('/payouts')).data;
  expect(payout).toMatchObject({ amount: 9680, automatic: true, status: 'in_transit', currency: 'usd' });
  const { data } = await client.get('/balance_transactions', { payout: payout.id });
  expect(data.map(({ source, net }: Json) => [source, net])).toEqual([
    [payout.id, -9680],
    [intent.latest_charge.id, 9680],
  ]);
  expect((await client.get('/balance')).available[0].amount).toBe(0);
  await control().options(id(), { payouts: 'manual' });
  await control().advance({ days: 3 });
  expect((await client.get(`/payouts/${payout.id}`)).status).toBe('paid');
  await control().payout(id(), payout.id, { step: 'fail', code: 'no_account' });
  const failed = await client.get(`/payouts/${payout.id}`, { expand: ['failure_balance_transaction'] });
  expect(failed).toMatchObject({
    status: 'failed',
    failure_code: 'no_account',
    failure_balance_transaction: { type: 'payout_failure', amount: 9680 },
  });
  expect((await client.get('/balance')).available[0].amount).toBe(9680);
  expect((await client.post('/payouts', { amount: 9000, currency: 'usd' })).automatic).toBe(false);
  const tooMuch = await client.refused('POST', '/payouts', { amount: 681, currency: 'usd' });
  expect(tooMuch.code).toBe('balance_insufficient');
});

test('the account shows its capabilities', async () => {
  await control().options(id(), { capabilities: { card_payments: 'pending' }, payoutsEnabled: false });
  expect(await client.get('/account')).toMatchObject({
    id: id(),
    country: 'US',
    default_currency: 'usd',
    charges_enabled: true,
    payouts_enabled: false,
    capabilities: { card_payments: 'pending', us_bank_account_ach_payments: 'active' },
    settings: { payouts: { schedule: { interval: 'manual' } } },
  });
});
