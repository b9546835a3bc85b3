// The Stripe adapter: its reports of an order that is paid, refunded, disputed, partially paid or overpaid.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Stripe, startStripe } from '../../../../../local/providers/stripe/index.ts';
import type { Balance } from '../../../../../shared/payments/providers/order-report.ts';
import { chargesOf } from '../../../../../shared/payments/providers/provider.ts';
import { stateOf } from '../../../../../shared/payments/providers/stripe/report.ts';
import {
  createWorld,
  euro,
  noHurry,
  type StripeWorld,
  totalsOf,
} from '../../../../support/payments/stripe-world.ts';

const DAY_MS = 86_400_000;
/** Noon of the next Monday, so that business days follow. */
const MONDAY = nextMonday().toISOString();

function nextMonday(): Date {
  const noon = new Date();
  noon.setUTCHours(12, 0, 0, 0);
  noon.setUTCDate(noon.getUTCDate() + ((8 - noon.getUTCDay()) % 7 || 7));
  return noon;
}

const FEE = 320;

let stripe: Stripe;
let world: StripeWorld;

beforeAll(async () => {
  stripe = await startStripe();
});
afterAll(() => stripe.stop());
beforeEach(async () => {
  world = await createWorld(stripe, { options: { balanceTransactionMs: 0 } });
});

const control = () => stripe.control;
const id = () => world.account.id;

/** The content of the ledger: a charge in full minus its fee, and every total. */
async function ledgerOf(...orders: Parameters<StripeWorld['read']>[0][]): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const order of orders) {
    const report = await world.read(order);
    const { state } = report;
    const own = state.status === 'paid' ? order.amountMinor - (state.feeMinor ?? 0) : 0;
    sums[order.currency] = (sums[order.currency] ?? 0) + own;
    for (const [total, amountMinor] of Object.entries(totalsOf(report))) {
      const currency = total.split(' ')[1] ?? '';
      sums[currency] = (sums[currency] ?? 0) + amountMinor;
    }
  }
  return sums;
}

const asRecord = (balances: Balance[]) =>
  Object.fromEntries(balances.map(({ currency, amountMinor }) => [currency, amountMinor]));

describe('by card', () => {
  test('is paid immediately; fee and settlement day follow later', async () => {
    await control().options(id(), { balanceTransactionMs: 3600_000 });
    const { order, charge } = await world.submitted();
    const before = await world.read(order);
    expect(before.state).toMatchObject({ status: 'paid', feeMinor: undefined, availableOn: undefined });
    await control().enterCharge(id(), charge);
    const after = await world.read(order);
    expect(after.state).toMatchObject({ status: 'paid', feeMinor: FEE });
    expect(after.state.availableOn).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(after.state.at.getTime()).toBeGreaterThanOrEqual(before.state.at.getTime());
    expect(totalsOf(after)).toEqual({ 'chargeback USD': 0, 'chargeback_won USD': 0 });
    expect(await ledgerOf(order)).toEqual(asRecord(await world.provider.readBalances(noHurry)));
  });

  test('stays open when the card is declined, and can be paid with another one', async () => {
    const { order } = await world.submitted({}, { number: '4000000000000002' });
    expect((await world.read(order)).state.status).toBe('open');
    await control().pay(id(), order.providerReference ?? '');
    expect((await world.read(order)).state.status).toBe('paid');
  });

  test('that was declined and not paid in time has failed, although Stripe reports the payment as canceled', async () => {
    const { order } = await world.submitted({}, { number: '4000000000000002' });
    await chargesOf(world.provider).cancel(order, noHurry);
    const over = await world.read({ ...order, expiresAt: new Date(Date.now() - 1) });
    expect(over.state).toMatchObject({ status: 'failed', reason: 'The invoice expired before it was paid.' });
    expect((await world.read(order)).state.status).toBe('open');
  });

  test('whose page ends by itself stays open until its own expiry', async () => {
    const { order } = await world.create();
    const session = await world.session(order);
    const payment = { session, intent: undefined, charge: undefined, movement: undefined };
    session.status = 'expired';
    const end = new Date(session.expires_at * 1000);
    const until = (expiresAt: Date) => stateOf(payment, { ...order, expiresAt }, end);
    expect(until(end)).toMatchObject({ status: 'failed', at: end });
    expect(until(new Date(end.getTime() + 1)).status).toBe('open');
    expect(stateOf(payment, undefined, new Date(end.getTime() - 1)).status).toBe('canceled');
  });
});

describe('by debit', () => {
  test('is open until the bank confirms', async () => {
    const { order, intent } = await world.submitted({ method: 'ach_debit' });
    expect((await world.read(order)).state.status).toBe('open');
    await control().concludeDebit(id(), intent, { outcome: 'succeed' });
    expect((await world.read(order)).state).toMatchObject({ status: 'paid', feeMinor: 80 });
  });

  test('has failed when the bank rejects it, with the reason', async () => {
    const { order, intent } = await world.submitted({ ...euro, method: 'sepa_debit' });
    const end = { outcome: 'fail', code: 'insufficient_funds', message: 'No funds.' } as const;
    await control().concludeDebit(id(), intent, end);
    expect((await world.read(order)).state).toMatchObject({ status: 'failed', reason: 'No funds.' });
  });

  test('that was already credited leaves the remaining difference when it fails', async () => {
    const options = { entryOfPending: true, balanceTransactionMs: 0, exchangeRates: { usd: 0.9 } };
    world = await createWorld(stripe, { country: 'DE', options });
    const { order, intent } = await world.submitted({ method: 'ach_debit' });
    expect(totalsOf(await world.read(order))).toEqual({});
    await control().options(id(), { exchangeRates: { usd: 0.8 } });
    await control().concludeDebit(id(), intent, { outcome: 'fail', code: 'no_account' });
    const report = await world.read(order);
    expect([report.state.status, totalsOf(report)]).toEqual(['failed', { 'provider_fee EUR': 992 }]);
    expect(await ledgerOf(order)).toEqual({
      USD: 0,
      ...asRecord(await world.provider.readBalances(noHurry)),
    });
  });
});

describe('refunds', () => {
  test('are reported as a total', async () => {
    const { order, charge } = await world.submitted();
    await control().refund(id(), charge, { amount: 2500 });
    expect(totalsOf(await world.read(order))).toMatchObject({ 'refund USD': -2500 });
    await control().refund(id(), charge);
    const report = await world.read(order);
    expect(report.state).toMatchObject({ status: 'paid', feeMinor: FEE });
    expect(totalsOf(report)).toMatchObject({ 'refund USD': -10_000 });
    expect(await ledgerOf(order)).toEqual(asRecord(await world.provider.readBalances(noHurry)));
  });

  test('on several pages are all counted', async () => {
    const { order, charge } = await world.submitted();
    for (let times = 0; times < 101; times += 1) await control().refund(id(), charge, { amount: 1 });
    expect(totalsOf(await world.read(order))).toMatchObject({ 'refund USD': -101 });
  });

  test('that fail are reversed', async () => {
    const { order, charge } = await world.submitted();
    const failing = await control().refund(id(), charge, { amount: 2500 });
    await control().refund(id(), charge, { amount: 100 });
    await control().concludeRefund(id(), failing.id, { outcome: 'failed' });
    expect(totalsOf(await world.read(order))).toMatchObject({ 'refund USD': -100 });
  });
});

describe('disputes', () => {
  test('deduct the amount and their fee, and return the amount when won', async () => {
    const { order, charge } = await world.submitted();
    const dispute = await control().dispute(id(), charge, { amount: 6000 });
    expect(totalsOf(await world.read(order))).toMatchObject({
      'chargeback USD': -7500,
      'chargeback_won USD': 0,
    });
    await control().closeDispute(id(), dispute.id, 'won');
    const report = await world.read(order);
    expect(totalsOf(report)).toMatchObject({ 'chargeback USD': -7500, 'chargeback_won USD': 6000 });
    expect(report.state.feeMinor).toBe(FEE);
    expect(await ledgerOf(order)).toEqual(asRecord(await world.provider.readBalances(noHurry)));
  });

  test('that are only inquiries deduct nothing', async () => {
    const { order, charge } = await world.submitted();
    await control().dispute(id(), charge, { inquiry: true });
    expect(totalsOf(await world.read(order))).toMatchObject({ 'chargeback USD': 0 });
  });
});

describe('by bank transfer', () => {
  test('reports partial payments, full payments and overpayments', async () => {
    const { order, intent } = await world.submitted({ method: 'bank_transfer' });
    expect(totalsOf(await world.read(order))).toEqual({ 'partial_payment USD': 0, 'overpaid USD': 0 });
    await control().transfer(id(), intent, 4000);
    const partly = await world.read(order);
    expect(partly.state.status).toBe('open');
    expect(totalsOf(partly)).toEqual({ 'partial_payment USD': 4000, 'overpaid USD': 0 });
    await control().transfer(id(), intent, 7000);
    const paid = await world.read(order);
    expect(paid.state).toMatchObject({ status: 'paid', feeMinor: 50 });
    expect(totalsOf(paid)).toMatchObject({ 'partial_payment USD': 0, 'overpaid USD': 1000 });
    await control().transfer(id(), intent, 500);
    expect(totalsOf(await world.read(order))).toMatchObject({ 'overpaid USD': 1500 });
  });

  test('that was partly paid and canceled keeps what arrived', async () => {
    await control().options(id(), { cancelCompletedIntents: true });
    const { order, intent } = await world.submitted({ ...euro, method: 'bank_transfer' });
    await control().transfer(id(), intent, 4000);
    expect(await chargesOf(world.provider).cancel(order, noHurry)).toBe(true);
    const report = await world.read(order);
    expect(report.state.status).toBe('canceled');
    expect(totalsOf(report)).toEqual({ 'partial_payment EUR': 4000, 'overpaid EUR': 0 });
  });

  test('that is refunded leaves the money with the customer at Stripe', async () => {
    const { order, intent } = await world.submitted({ method: 'bank_transfer' });
    await control().transfer(id(), intent);
    const { intents } = await control().account(id());
    await control().refund(id(), intents[0]?.latest_charge ?? '', { amount: 3000 });
    expect(totalsOf(await world.read(order))).toMatchObject({ 'refund USD': -3000, 'returned USD': 3000 });
  });

  test('that is returned to the payer later still counts as paid', async () => {
    const { order, intent } = await world.submitted({ method: 'bank_transfer' });
    await control().transfer(id(), intent, 12_000);
    await control().returnCash(id(), intent, 2000);
    expect(totalsOf(await world.read(order))).toMatchObject({ 'overpaid USD': 2000, 'returned USD': -2000 });
    const { intents } = await control().account(id());
    await control().refund(id(), intents[0]?.latest_charge ?? '', { amount: 3000 });
    await control().returnCash(id(), intent);
    expect(totalsOf(await world.read(order))).toMatchObject({
      'overpaid USD': 2000,
      'refund USD': -3000,
      'returned USD': -2000,
    });
    expect(await ledgerOf(order)).toEqual(asRecord(await world.provider.readBalances(noHurry)));
  });
});

test('a second paid page is an overpayment with its own fee', async () => {
  const { order } = await world.submitted();
  const pages = chargesOf(world.provider).pages;
  const later = await pages?.renew(order, { n: 2, madeAt: new Date() }, noHurry);
  await control().pay(id(), later?.reference ?? '');
  const all = { ...order, laterReferences: [later?.reference ?? ''] };
  const report = await world.read(all);
  expect(report.state).toMatchObject({ status: 'paid', feeMinor: 2 * FEE });
  expect(totalsOf(report)).toMatchObject({ 'overpaid USD': 10_000 });
  expect(await ledgerOf(all)).toEqual(asRecord(await world.provider.readBalances(noHurry)));
});

test('a charge that settles in another currency adds up in both', async () => {
  const options = { balanceTransactionMs: 0, exchangeRates: { usd: 0.9 } };
  world = await createWorld(stripe, { country: 'DE', options });
  const { order, charge } = await world.submitted();
  expect((await world.read(order)).state.feeMinor).toBe(0);
  expect(totalsOf(await world.read(order))).toEqual({
    'conversion USD': -10_000,
    'conversion EUR': 9000 - 288,
    'chargeback EUR': 0,
    'chargeback_won EUR': 0,
  });
  // A failed refund disappears, but the difference of the exchange rates does not.
  await control().options(id(), { exchangeRates: { usd: 0.8 } });
  const failing = await control().refund(id(), charge, { amount: 2000 });
  await control().options(id(), { exchangeRates: { usd: 0.7 } });
  await control().concludeRefund(id(), failing.id, { outcome: 'failed' });
  expect(totalsOf(await world.read(order))).toMatchObject({ 'refund EUR': -1600 + 1400 });
  await control().refund(id(), charge, { amount: 1000 });
  expect(totalsOf(await world.read(order))).toMatchObject({ 'refund EUR': -200 - 700 });
  expect(await ledgerOf(order)).toEqual({ USD: 0, ...asRecord(await world.provider.readBalances(noHurry)) });
});

test('the settlement day is the one that Stripe reports', async () => {
  const other = await startStripe();
  await other.control.setFrozen(true);
  await other.control.advance({ to: MONDAY });
  world = await createWorld(other, { options: { balanceTransactionMs: 0 } });
  const begun = new Date(MONDAY);
  const { order } = await world.create({ createdAt: begun, expiresAt: new Date(begun.getTime() + DAY_MS) });
  await other.control.pay(id(), order.providerReference ?? '');
  const { state } = await world.read(order);
  const wednesday = new Date(begun.getTime() + 2 * DAY_MS).toISOString().slice(0, 10);
  expect([state.availableOn, state.at.toISOString()]).toEqual([wednesday, MONDAY]);
  await other.stop();
});
