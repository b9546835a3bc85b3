// Payments at the emulator of Stripe, each way from the session to the balance transaction.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  EURO_TRANSFER,
  MONDAY,
  type StripeClient,
  startStripeForTest,
  stripeClient,
} from '../../support/payments/stripe.ts';
import type { Json } from '../../support/payments/vendor-receiver.ts';

let client: StripeClient;
beforeAll(async () => {
  client = await startStripeForTest();
});
beforeEach(async () => {
  client = await stripeClient(client.stripe);
});
afterAll(() => client.stripe.stop());

const control = () => client.stripe.control;
const id = () => client.account.id;
const day = (seconds: number) => new Date(seconds * 1000).toISOString();

/** Events since the beginning, oldest first. */
const events = async (): Promise<string[]> => {
  const { data } = await client.get('/events', { limit: 100 });
  return data.map(({ type }: { type: string }) => type).reverse();
};

test('a card: the payment intent is created with the payer, the balance transaction after the charge', async () => {
  const session = await client.session({
    client_reference_id: 'ours-1',
    customer_email: 'ana@demo.example',
    metadata: { a: '1' },
    payment_intent_data: { metadata: { b: '2' }, description: 'Order 1' },
  });
  expect(session).toMatchObject({
    object: 'checkout.session',
    id: expect.stringMatching(/^cs_test_/),
    amount_total: 10_000,
    client_reference_id: 'ours-1',
    payment_intent: null,
    payment_status: 'unpaid',
    status: 'open',
    url: expect.stringContaining(`${client.stripe.url}/c/pay/`),
  });
  await control().pay(id(), session.id);
  const paid = await client.look(session.id);
  expect(paid).toMatchObject({ status: 'complete', payment_status: 'paid', url: null });
  expect(paid.customer_details.email).toBe('ana@demo.example');
  expect(paid.payment_intent).toMatchObject({
    status: 'succeeded',
    amount_received: 10_000,
    metadata: { b: '2' },
    description: 'Order 1',
  });
  expect(paid.payment_intent.latest_charge).toMatchObject({
    id: expect.stringMatching(/^ch_/),
    balance_transaction: null,
    metadata: { b: '2' },
  });
  await control().advance({ seconds: 2 });
  const { balance_transaction: entered } = (await client.look(session.id)).payment_intent.latest_charge;
  expect(entered).toMatchObject({ type: 'charge', reporting_category: 'charge', status: 'pending' });
  expect([entered.amount, entered.fee, entered.net]).toEqual([10_000, 320, 9680]);
  expect(await events()).toEqual([
    'payment_intent.created',
    'charge.succeeded',
    'payment_intent.succeeded',
    'checkout.session.completed',
    'charge.updated',
  ]);
  const found = await client.get('/checkout/sessions', { payment_intent: paid.payment_intent.id });
  expect(found.data.map((one: { id: string }) => one.id)).toEqual([session.id]);
});

test('a declined card leaves the session open for another one', async () => {
  const { id: session } = await client.session();
  await control().pay(id(), session, { number: '4000 0000 0000 9995' });
  const open = await client.look(session);
  expect(open).toMatchObject({ status: 'open', payment_status: 'unpaid' });
  expect(open.payment_intent).toMatchObject({
    status: 'requires_payment_method',
    last_payment_error: { code: 'card_declined', decline_code: 'insufficient_funds', type: 'card_error' },
    latest_charge: { status: 'failed', paid: false, failure_code: 'card_declined' },
  });
  await control().pay(id(), session);
  const paid = await client.look(session);
  expect(paid.payment_intent.id).toBe(open.payment_intent.id);
  expect(paid.payment_intent).toMatchObject({ status: 'succeeded', last_payment_error: null });
  expect((await client.get('/charges')).data).toHaveLength(2);
});

test('a card that asks for authentication waits for the cardholder', async () => {
  const number = '4000002500003155';
  const { id: session } = await client.session();
  await control().pay(id(), session, { number });
  expect((await client.look(session)).payment_intent.status).toBe('requires_action');
  await control().pay(id(), session, { number, authentication: 'fail' });
  expect((await client.look(session)).payment_intent.last_payment_error.code).toBe(
    'payment_intent_authentication_failure',
  );
  await control().pay(id(), session, { number, authentication: 'pass' });
  expect((await client.look(session)).payment_status).toBe('paid');
});

test.each([
  ['us_bank_account', 'usd', '000123456789', 80],
  ['sepa_debit', 'eur', 'AT611904300234573201', 35],
])('%s: complete and unpaid at first, paid when the bank confirms', async (method, currency, number, fee) => {
  const order = { currency, allowed_payment_method_types: [method] };
  const session = await client.paid(order, { number });
  expect(session).toMatchObject({ status: 'complete', payment_status: 'unpaid' });
  expect(session.payment_intent).toMatchObject({
    status: 'processing',
    latest_charge: { id: expect.stringMatching(/^py_/), status: 'pending', balance_transaction: null },
  });
  await control().advance({ seconds: 2 });
  expect((await events()).at(-1)).toBe('checkout.session.async_payment_succeeded');
  await control().advance({ seconds: 1 });
  const paid = await client.look(session.id);
  expect(paid).toMatchObject({ payment_status: 'paid', payment_intent: { status: 'succeeded' } });
  expect(paid.payment_intent.latest_charge.balance_transaction).toMatchObject({ type: 'payment', fee });
});

test('a debit that fails, by its test number or later on request', async () => {
  const debit = { allowed_payment_method_types: ['us_bank_account'] };
  const byNumber = await client.paid(debit, { number: '000111111113' });
  const held = await client.paid(debit, { number: '000000000009' });
  await control().advance({ days: 30 });
  const failed = await client.look(byNumber.id);
  expect(failed).toMatchObject({ status: 'complete', payment_status: 'unpaid' });
  expect(failed.payment_intent).toMatchObject({
    status: 'requires_payment_method',
    last_payment_error: { code: 'account_closed' },
    latest_charge: { status: 'failed', failure_code: 'account_closed', failure_balance_transaction: null },
  });
  expect((await events()).at(-1)).toBe('checkout.session.async_payment_failed');
  expect((await client.look(held.id)).payment_intent.status).toBe('processing');
  await control().concludeDebit(id(), held.payment_intent.id, { outcome: 'fail', code: 'no_account' });
  expect((await client.look(held.id)).payment_intent.last_payment_error.code).toBe('no_account');
  expect((await client.get('/balance_transactions')).data).toEqual([]);
});

test('a debit that was credited early is reversed when it fails', async () => {
  await control().options(id(), { entryOfPending: true, failureFee: 400 });
  const session = await client.paid(
    { allowed_payment_method_types: ['us_bank_account'] },
    { number: '000222222227' },
  );
  const early = session.payment_intent.latest_charge.balance_transaction;
  expect(early).toMatchObject({ type: 'payment', amount: 10_000 });
  await control().advance({ seconds: 3 });
  const charge = (await client.look(session.id)).payment_intent.latest_charge;
  const { data } = await client.get('/balance_transactions', { source: charge.id });
  expect(data[0]).toMatchObject({
    id: charge.failure_balance_transaction,
    type: 'payment_failure_refund',
    net: -early.net,
  });
  const { pending, available } = await client.get('/balance');
  expect(pending[0].amount + available[0].amount).toBe(-400);
});

test('a bank transfer: waits for money, accepts parts, and keeps an excess for the customer', async () => {
  const customer = await client.customer();
  const order = {
    currency: 'eur',
    customer,
    allowed_payment_method_types: ['customer_balance'],
    payment_method_options: EURO_TRANSFER,
  };
  const session = await client.paid(order);
  expect(session).toMatchObject({ status: 'complete', payment_status: 'unpaid' });
  const { id: intent, next_action: action } = session.payment_intent;
  expect(session.payment_intent.status).toBe('requires_action');
  expect(action.display_bank_transfer_instructions).toMatchObject({
    amount_remaining: 10_000,
    type: 'eu_bank_transfer',
    financial_addresses: [{ type: 'iban' }],
  });
  await control().transfer(id(), intent, 4000);
  const partly = await client.get(`/payment_intents/${intent}`);
  expect(partly.next_action.display_bank_transfer_instructions.amount_remaining).toBe(6000);
  expect(partly.latest_charge).toBeNull();
  await control().transfer(id(), intent, 7000);
  const all = await events();
  expect(all).toContain('payment_intent.partially_funded');
  expect(all.slice(-2)).toEqual(['checkout.session.async_payment_succeeded', 'cash_balance.funds_available']);
  const { data: cash } = await client.get(`/customers/${customer}/cash_balance_transactions`);
  const changes = cash.map((one: Json) => [one.type, one.net_amount, one.ending_balance]);
  expect(changes.reverse()).toEqual([
    ['funded', 4000, 4000],
    ['applied_to_payment', -4000, 0],
    ['funded', 7000, 7000],
    ['applied_to_payment', -6000, 1000],
  ]);
  await control().advance({ seconds: 1 });
  const paid = await client.look(session.id);
  expect(paid.payment_status).toBe('paid');
  expect(paid.payment_intent.latest_charge.balance_transaction).toMatchObject({
    type: 'payment',
    amount: 10_000,
  });
  // The overpaid amount pays the next one.
  const next = await client.paid({ ...order, amount: 1000 });
  expect(next).toMatchObject({ payment_status: 'paid', payment_intent: { status: 'succeeded' } });
  expect((await client.paid({ ...order, amount: 1000 })).payment_status).toBe('unpaid');
});

test('money becomes available after business days, counted from the start', async () => {
  await control().options(id(), { balanceTransactionMs: 0, availableAfterDays: { card: 5 } });
  const now = Math.floor((await control().now()).getTime() / 1000);
  const { payment_intent: intent } = await client.paid();
  const availableOn: number = intent.latest_charge.balance_transaction.available_on;
  expect(day(availableOn)).toMatch(/T00:00:00/);
  // Five business days always include a weekend.
  expect(Math.round((availableOn - now) / 86_400)).toBeGreaterThanOrEqual(6);
  const before = await client.get('/balance');
  expect([before.available[0].amount, before.pending[0].amount]).toEqual([0, 9680]);
  await control().options(id(), { payouts: 'manual' });
  await control().advance({ to: new Date(availableOn * 1000).toISOString() });
  const after = await client.get('/balance');
  expect([after.available[0].amount, after.pending[0].amount]).toEqual([9680, 0]);
  expect(now * 1000).toBeGreaterThanOrEqual(Date.parse(MONDAY));
});

test('sessions expire on request and by the clock, but never once they are complete', async () => {
  const now = Math.floor((await control().now()).getTime() / 1000);
  const early = await client.refused('POST', '/checkout/sessions', client.order({ expires_at: now + 1799 }));
  expect([early.param, early.message]).toEqual([
    'expires_at',
    expect.stringContaining('at least 30 minutes'),
  ]);
  const late = await client.refused('POST', '/checkout/sessions', client.order({ expires_at: now + 86_401 }));
  expect(late.message).toContain('less than 24 hours');
  const byClock = await client.session({ expires_at: now + 1800 });
  const byOrder = await client.session();
  await control().pay(id(), byOrder.id, { number: '4000000000000002' });
  const expired = await client.post(`/checkout/sessions/${byOrder.id}/expire`);
  expect(expired).toMatchObject({ status: 'expired', url: null, payment_status: 'unpaid' });
  expect((await client.get(`/payment_intents/${expired.payment_intent}`)).status).toBe('canceled');
  await control().advance({ minutes: 29, seconds: 59 });
  expect((await client.look(byClock.id)).status).toBe('open');
  await control().advance({ seconds: 1 });
  expect((await client.look(byClock.id)).status).toBe('expired');
  const paid = await client.paid();
  expect((await client.refused('POST', `/checkout/sessions/${paid.id}/expire`)).message).toContain(
    'complete',
  );
  await expect(control().pay(id(), byClock.id)).rejects.toThrow('expired');
});

test("a session's intent is canceled with the session, or by an option", async () => {
  const customer = await client.customer();
  const order = { customer, currency: 'eur', allowed_payment_method_types: ['customer_balance'] };
  const session = await client.paid({ ...order, payment_method_options: EURO_TRANSFER });
  const path = `/payment_intents/${session.payment_intent.id}/cancel`;
  expect((await client.refused('POST', path)).code).toBe('payment_intent_unexpected_state');
  await control().options(id(), { cancelCompletedIntents: true });
  expect((await client.post(path, { cancellation_reason: 'abandoned' })).status).toBe('canceled');
  expect((await events()).at(-1)).toBe('checkout.session.async_payment_failed');
});

test('rejects invalid amounts, methods, currencies and customers', async () => {
  const refused = (change: object) => client.refused('POST', '/checkout/sessions', client.order(change));
  expect((await refused({ amount: 49 })).code).toBe('amount_too_small');
  expect((await refused({ amount: 100_000_000 })).code).toBe('amount_too_large');
  await control().options(id(), { capabilities: { sepa_debit_payments: 'inactive' } });
  const sepa = await refused({ currency: 'eur', allowed_payment_method_types: ['sepa_debit'] });
  expect(sepa.message).toContain('No valid payment method types');
  const ach = await refused({ currency: 'eur', allowed_payment_method_types: ['us_bank_account'] });
  expect(ach.message).toContain('No valid payment method types');
  const transfer = { currency: 'eur', allowed_payment_method_types: ['customer_balance'] };
  expect((await refused({ ...transfer, payment_method_options: EURO_TRANSFER })).param).toBe('customer');
  const customer = await client.customer();
  expect((await refused({ ...transfer, customer })).code).toBe('parameter_missing');
  expect((await refused({ customer, customer_email: 'a@b.example' })).message).toContain('only specify one');
  const free = await client.paid({ amount: 0 });
  expect(free).toMatchObject({
    status: 'complete',
    payment_status: 'no_payment_required',
    payment_intent: null,
  });
});

test('each version knows only its own parameter for methods', async () => {
  const call = (change: object, version: string) =>
    client.call('POST', '/checkout/sessions', client.order(change), { 'stripe-version': version });
  const named = { payment_method_types: ['card'], allowed_payment_method_types: undefined };
  const old = await call(named, '2026-08-26.dahlia');
  expect([old.status, old.body.payment_method_types]).toEqual([200, ['card']]);
  expect((await call(named, '2026-10-28.endive')).body.error.code).toBe(
    'payment_method_types_no_longer_supported',
  );
  expect((await call({}, '2026-08-26.dahlia')).body.error.code).toBe('parameter_unknown');
  await control().options(id(), { capabilities: { sepa_debit_payments: 'inactive' } });
  const left = await client.session({ allowed_payment_method_types: ['sepa_debit', 'card'] });
  expect(left.payment_method_types).toEqual(['card']);
  await control().options(id(), { capabilities: { sepa_debit_payments: 'active' } });
});

test('the page shows the session, accepts the payment, and redirects', async () => {
  const session = await client.session();
  expect(await (await fetch(session.url)).text()).toContain('$100.00 usd');
  const body = new URLSearchParams({ method: 'card', number: '4242424242424242' });
  const paid = await fetch(session.url, { method: 'POST', body, redirect: 'manual' });
  expect([paid.status, paid.headers.get('location')]).toEqual([
    303,
    `https://shop.example/done?session=${session.id}`,
  ]);
  expect((await client.look(session.id)).payment_status).toBe('paid');
});
