// The Stripe adapter: sending orders, finding an order whose response was lost, and canceling.
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { FaultOrder } from '../../../../../local/fakes/faults.ts';
import { type Stripe, startStripe } from '../../../../../local/providers/stripe/index.ts';
import {
  InvalidOrder,
  ProviderBusy,
  ProviderKeyRejected,
  ProviderOutcomeUnknown,
  ProviderRejected,
} from '../../../../../shared/payments/providers/errors.ts';
import { chargesOf } from '../../../../../shared/payments/providers/provider.ts';
import { PROVIDER_REQUEST_TIMEOUT_MS } from '../../../../../shared/payments/providers/provider-http.ts';
import { sessionEndOf } from '../../../../../shared/payments/providers/stripe/checkout-parameters.ts';
import { createWorld, euro, noHurry, type StripeWorld } from '../../../../support/payments/stripe-world.ts';

let stripe: Stripe;
let world: StripeWorld;

beforeAll(async () => {
  stripe = await startStripe();
});
afterAll(() => stripe.stop());
beforeEach(async () => {
  world = await createWorld(stripe);
});

const control = () => stripe.control;
const holdings = () => control().account(world.account.id);
const fault = (kind: FaultOrder['kind'], more: Partial<FaultOrder> = {}) =>
  control().fault({ kind, account: world.account.id, ...more });
const SESSIONS = '/v1/checkout/sessions';

describe('a charge', () => {
  test('is a Stripe page with our reference on every object', async () => {
    const { order, charge } = await world.create();
    const session = await world.session(order);
    expect(charge).toMatchObject({
      providerReference: session.id,
      state: { status: 'open', feeMinor: undefined },
      artifact: { checkout: { url: session.url } },
    });
    expect(session).toMatchObject({
      amount_total: 10_000,
      currency: 'usd',
      payment_method_types: ['card'],
      customer_email: 'ana@demo.example',
      success_url: 'https://shop.example/done',
      metadata: { placar_reference: order.reference },
    });
    await control().pay(world.account.id, session.id);
    const { intents, charges } = await holdings();
    const metadata = { placar_reference: order.reference };
    expect(intents[0]).toMatchObject({ description: 'A thing', metadata });
    expect(charges[0]).toMatchObject({ metadata });
  });

  test.each([
    ['ach_debit', {}, 'us_bank_account'],
    ['sepa_debit', euro, 'sepa_debit'],
    ['bank_transfer', {}, 'customer_balance'],
    ['bank_transfer', euro, 'customer_balance'],
  ] as const)('by %s uses the method of Stripe (%#)', async (method, change, type) => {
    const { order } = await world.create({ method, ...change });
    expect((await world.session(order)).payment_method_types).toEqual([type]);
  });

  test('by bank transfer has its own customer, and the account of the region', async () => {
    const { order: dollars } = await world.create({ method: 'bank_transfer' });
    const { order: euros } = await world.create({ method: 'bank_transfer', ...euro });
    const { order: elsewhere } = await world.create({
      method: 'bank_transfer',
      ...euro,
      customer: { ...euro.customer, country: 'PT' },
    });
    const { customers } = await holdings();
    expect(new Set(customers.map(({ metadata }) => metadata.placar_reference))).toEqual(
      new Set([dollars, euros, elsewhere].map(({ reference }) => reference)),
    );
    const transferOf = async (order: typeof dollars) =>
      (await world.session(order)).payment_method_options.customer_balance.bank_transfer;
    expect(await transferOf(dollars)).toEqual({ type: 'us_bank_transfer' });
    expect(await transferOf(euros)).toMatchObject({ eu_bank_transfer: { country: 'DE' } });
    expect(await transferOf(elsewhere)).toMatchObject({ eu_bank_transfer: { country: 'IE' } });
  });

  test("without a return_url redirects to the merchant's site, which is looked up once", async () => {
    const { order } = await world.create({ returnUrl: undefined });
    await world.create({ returnUrl: undefined });
    expect((await world.session(order)).success_url).toBe('https://stripe.com');
    const asked = await control().requests({ path: '/v1/account', account: world.account.id });
    expect(asked).toHaveLength(1);
  });

  test('looks up that site again after a failure', async () => {
    await fault('error_before', { path: '/v1/account' });
    const order = world.order({ returnUrl: undefined });
    await expect(chargesOf(world.provider).create(order, noHurry)).rejects.toBeInstanceOf(
      ProviderOutcomeUnknown,
    );
    expect((await chargesOf(world.provider).create(order, noHurry)).state.status).toBe('open');
  });

  test('expires with the order, but between one hour and 23 and a half', () => {
    const createdAt = new Date('2026-01-01T00:00:00Z');
    const end = (expiresAt: string) =>
      sessionEndOf({ createdAt, expiresAt: new Date(expiresAt) }).toISOString();
    expect(end('2026-01-01T00:05:00Z')).toBe('2026-01-01T01:00:00.000Z');
    expect(end('2026-01-01T07:00:00Z')).toBe('2026-01-01T07:00:00.000Z');
    expect(end('2026-01-04T00:00:00Z')).toBe('2026-01-01T23:30:00.000Z');
  });

  test('that Stripe does not support is rejected before anything is created', async () => {
    const refusals = [
      world.create({ method: 'pix' }),
      world.create({ method: 'sepa_debit' }),
      world.create({ ...euro, method: 'sepa_debit', currency: 'PLN' }),
      world.create({ amountMinor: 12_345, currency: 'KWD' }),
    ];
    const [pix, sepa, zloty, dinar] = await Promise.all(refusals.map((one) => one.catch((error) => error)));
    expect(pix).toBeInstanceOf(ProviderRejected);
    expect(sepa).toBeInstanceOf(ProviderRejected);
    expect(zloty).toEqual(new InvalidOrder([{ field: 'currency', message: 'must be EUR for sepa_debit' }]));
    expect(dinar).toBeInstanceOf(InvalidOrder);
    expect(await control().requests({ account: world.account.id })).toEqual([]);
  });

  test("in Stripe's units: ISK has decimals there", async () => {
    const { order, charge } = await world.create({ amountMinor: 500, currency: 'ISK' });
    expect(await world.session(order)).toMatchObject({ amount_total: 50_000 });
    expect(charge.state.status).toBe('open');
  });

  test('with a too small amount or an invalid email names the member', async () => {
    const small = await world.create({ amountMinor: 49 }).catch((error) => error);
    expect(small).toBeInstanceOf(InvalidOrder);
    expect(small.faults).toMatchObject([{ field: 'amount', message: expect.stringContaining('$0.50') }]);
    const { customer } = world.order();
    const nobody = await world.create({ customer: { ...customer, email: 'ana' } }).catch((error) => error);
    expect(nobody.faults).toMatchObject([{ field: 'customer.email' }]);
  });

  test.each([{ amount_total: 9999 }, { currency: 'eur' }, { url: null }, { payment_method_types: ['link'] }])(
    'whose page differs from the order is closed again (%j)',
    async (change) => {
      const order = world.order();
      const real = globalThis.fetch;
      const changed = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
        const response = await real(input, init);
        if (!String(input).endsWith(SESSIONS)) return response;
        return Response.json({ ...(await response.json()), ...change });
      });
      onTestFinished(() => changed.mockRestore());
      await expect(chargesOf(world.provider).create(order, noHurry)).rejects.toBeInstanceOf(ProviderRejected);
      expect((await world.session(order)).status).toBe('expired');
    },
  );

  test("by a method that is turned off at Stripe is rejected with Stripe's message", async () => {
    await control().options(world.account.id, { capabilities: { us_bank_account_ach_payments: 'inactive' } });
    await expect(world.create({ method: 'ach_debit' })).rejects.toThrow(/No valid payment method types/);
  });
});

describe('an order whose response is lost', () => {
  test.each(['cut_after', 'error_after'] as const)(
    'is the same order when it is sent again (%s)',
    async (kind) => {
      await fault(kind, { method: 'POST', path: SESSIONS });
      const order = world.order({ method: 'bank_transfer' });
      await expect(chargesOf(world.provider).create(order, noHurry)).rejects.toBeInstanceOf(
        ProviderOutcomeUnknown,
      );
      const found = await chargesOf(world.provider).find(order, noHurry);
      const again = await chargesOf(world.provider).create(order, noHurry);
      const { sessions, customers } = await holdings();
      expect([sessions.length, customers.length]).toEqual([1, 1]);
      expect([found?.providerReference, again.providerReference]).toEqual([sessions[0]?.id, sessions[0]?.id]);
      expect(found?.artifact).toEqual(again.artifact);
    },
  );

  test('and was not accepted is created when it is sent again, and not found before', async () => {
    await fault('cut_before', { method: 'POST', path: SESSIONS });
    const order = world.order();
    await expect(chargesOf(world.provider).create(order, noHurry)).rejects.toBeInstanceOf(
      ProviderOutcomeUnknown,
    );
    expect(await chargesOf(world.provider).find(order, noHurry)).toBeUndefined();
    await chargesOf(world.provider).create(order, noHurry);
    expect((await holdings()).sessions).toHaveLength(1);
  });

  test('is sent once per attempt: the library does not retry', async () => {
    await fault('error_before', { method: 'POST', path: SESSIONS, status: 503 });
    await expect(world.create()).rejects.toBeInstanceOf(ProviderOutcomeUnknown);
    const sent = await control().requests({ path: SESSIONS, account: world.account.id });
    expect(sent).toHaveLength(1);
  });

  test('and is still in flight is not created twice', async () => {
    await control().options(world.account.id, { inFlightMs: 500 });
    const order = world.order();
    const tries = [1, 2].map(() => chargesOf(world.provider).create(order, noHurry));
    const outcomes = await Promise.allSettled(tries);
    const failed = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(failed.map(({ name }) => name)).toEqual(['ProviderOutcomeUnknown']);
    expect((await holdings()).sessions).toHaveLength(1);
  });

  test('and differs when it is sent again is looked up', async () => {
    const { order } = await world.create();
    const other = { ...order, providerReference: undefined, description: 'Another thing' };
    const again = await chargesOf(world.provider).create(other, noHurry);
    expect(again.providerReference).toBe(order.providerReference);
    expect((await holdings()).sessions).toHaveLength(1);
  });

  test('is never created again after the key has expired: its page would have ended', async () => {
    const order = world.order({ createdAt: new Date(Date.now() - 25 * 3600_000) });
    await expect(chargesOf(world.provider).create(order, noHurry)).rejects.toBeInstanceOf(ProviderRejected);
    expect((await holdings()).sessions).toEqual([]);
  });

  test('is found among more sessions than fit on a page', async () => {
    const { order } = await world.create();
    const more = Array.from({ length: 101 }, () => world.create());
    await Promise.all(more);
    const found = await chargesOf(world.provider).find({ ...order, providerReference: undefined }, noHurry);
    expect(found?.providerReference).toBe(order.providerReference);
  });

  test('is not confused with a foreign session of the same name', async () => {
    const order = world.order();
    const stranger = await fetch(`${stripe.url}${SESSIONS}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.account.apiKey}` },
      body: new URLSearchParams({
        mode: 'payment',
        success_url: 'https://shop.example',
        client_reference_id: order.reference,
        'line_items[0][quantity]': '1',
        'line_items[0][price_data][currency]': 'usd',
        'line_items[0][price_data][unit_amount]': '5000',
        'line_items[0][price_data][product_data][name]': 'Thing',
      }),
    });
    expect(stranger.status).toBe(200);
    expect(await chargesOf(world.provider).find(order, noHurry)).toBeUndefined();
  });
});

describe('Stripe responds', () => {
  const looked = () =>
    chargesOf(world.provider).read({ ...world.order(), providerReference: 'cs_test_1' }, noHurry);

  test('that the session does not exist: there is no charge', async () => {
    expect(await looked()).toBeUndefined();
  });

  test('with a session of another order, which is ignored', async () => {
    const { order } = await world.create();
    expect(
      await chargesOf(world.provider).read({ ...order, reference: 'inv_other' }, noHurry),
    ).toBeUndefined();
  });

  test('that the key is expired or unknown, without showing the key', async () => {
    await control().key(world.account.id, world.account.apiKey, { state: 'expired' });
    const expired = await looked().catch((error) => error);
    const unknown = await world
      .as({ key: 'sk_test_unknown' })
      .readBalances(noHurry)
      .catch((error) => error);
    expect([expired, unknown].map(({ name }) => name)).toEqual([
      'ProviderKeyRejected',
      'ProviderKeyRejected',
    ]);
    expect(expired).toBeInstanceOf(ProviderKeyRejected);
    expect(`${expired} ${unknown}`).not.toMatch(/sk_test/);
  });

  test('that a restricted key lacks a permission', async () => {
    await control().key(world.account.id, 'rk_test_1', { permissions: { balance: 'none' } });
    const refused = world.as({ key: 'rk_test_1' }).readBalances(noHurry);
    await expect(refused).rejects.toBeInstanceOf(ProviderRejected);
  });

  test('that there were too many requests, with the time of the next attempt', async () => {
    await fault('rate_limited');
    const busy = await looked().catch((error) => error);
    expect(busy).toBeInstanceOf(ProviderBusy);
    expect(busy.retryAfterSeconds).toBe(1);
  });

  test.each(['error_before', 'cut_before'] as const)('with something unreadable (%s)', async (kind) => {
    await fault(kind, { status: 502 });
    await expect(looked()).rejects.toBeInstanceOf(ProviderOutcomeUnknown);
  });

  // Earlier than the timeout of the request.
  test('with nothing, and the caller stopped waiting', {
    timeout: PROVIDER_REQUEST_TIMEOUT_MS - 1000,
  }, async () => {
    await fault('hold_after', { method: 'POST', path: SESSIONS });
    const waiting = new AbortController();
    const order = world.order();
    const asked = chargesOf(world.provider).create(order, waiting.signal);
    asked.catch(() => undefined);
    await expect.poll(async () => (await holdings()).sessions.length).toBe(1);
    waiting.abort();
    await expect(asked).rejects.toBeInstanceOf(ProviderOutcomeUnknown);
    await expect(chargesOf(world.provider).create(order, waiting.signal)).rejects.toThrow(/abort/i);
    expect(await control().requests({ path: SESSIONS, account: world.account.id })).toHaveLength(1);
  });
});

describe('canceling a charge', () => {
  const cancel = (order: Parameters<StripeWorld['read']>[0]) =>
    chargesOf(world.provider).cancel(order, noHurry);

  test('expires its page, and can be repeated', async () => {
    const { order } = await world.create();
    expect([await cancel(order), await cancel(order)]).toEqual([true, true]);
    expect((await world.session(order)).status).toBe('expired');
    // The payer could get another page: we decide whether the order is canceled.
    expect((await world.read(order)).state.status).toBe('open');
    expect((await world.read({ ...order, expiresAt: new Date(Date.now() - 1000) })).state).toMatchObject({
      status: 'failed',
      reason: 'The invoice expired before it was paid.',
    });
  });

  test('does nothing if none was created', async () => {
    expect(await cancel(world.order())).toBe(true);
  });

  test('is too late when it is paid or a debit is in progress', async () => {
    const { order: paid } = await world.submitted();
    const { order: debit } = await world.submitted({ method: 'ach_debit' }, { number: '000000000009' });
    expect([await cancel(paid), await cancel(debit)]).toEqual([false, false]);
    expect((await world.read(debit)).state.status).toBe('open');
  });

  test('succeeds if the debit failed: its page is not opened again', async () => {
    const { order, intent } = await world.submitted({ method: 'ach_debit' });
    await control().concludeDebit(world.account.id, intent, { outcome: 'fail', code: 'no_account' });
    expect(await cancel(order)).toBe(true);
  });

  test('that waits for a transfer is left to Stripe, which usually rejects it', async () => {
    const { order } = await world.submitted({ method: 'bank_transfer' });
    await expect(cancel(order)).rejects.toBeInstanceOf(ProviderRejected);
    expect((await world.read(order)).state.status).toBe('open');
    await control().options(world.account.id, { cancelCompletedIntents: true });
    expect(await cancel(order)).toBe(true);
    expect((await world.read(order)).state.status).toBe('canceled');
  });

  test('returns the correct result after a lost response', async () => {
    const { order } = await world.create();
    await fault('cut_after', { method: 'POST', path: `${SESSIONS}/*/expire` });
    await expect(cancel(order)).rejects.toBeInstanceOf(ProviderOutcomeUnknown);
    expect(await cancel(order)).toBe(true);
  });

  test('is too late if the payer was faster', async () => {
    const { order } = await world.create();
    const path = `${SESSIONS}/${order.providerReference}`;
    await fault('slow', { method: 'GET', path, delayMs: 2000 });
    const asked = cancel(order);
    await expect.poll(() => control().requests({ method: 'GET', path })).toHaveLength(1);
    await control().pay(world.account.id, order.providerReference ?? '');
    expect(await asked).toBe(false);
  });

  test('that Stripe rejects is reported, and too late once it is paid', async () => {
    const { order } = await world.create();
    const path = `${SESSIONS}/*/expire`;
    await fault('error_before', {
      method: 'POST',
      path,
      status: 400,
      body: { error: { type: 'invalid_request_error', message: 'Only open ones can be expired.' } },
    });
    await expect(cancel(order)).rejects.toBeInstanceOf(ProviderRejected);
    await control().pay(world.account.id, order.providerReference ?? '');
    expect(await cancel(order)).toBe(false);
  });
});
