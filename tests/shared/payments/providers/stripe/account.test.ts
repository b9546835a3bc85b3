// The Stripe adapter: the account, its balance and statement, lists, and webhooks.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Stripe, startStripe } from '../../../../../local/providers/stripe/index.ts';
import type { ListedOrder, Page, StatementLine } from '../../../../../shared/payments/providers/accounts.ts';
import { ProviderOutcomeUnknown, ProviderRejected } from '../../../../../shared/payments/providers/errors.ts';
import { chargesOf, fetchProviderFile } from '../../../../../shared/payments/providers/provider.ts';
import {
  createWorld,
  noHurry,
  type StripeWorld,
  totalsOf,
} from '../../../../support/payments/stripe-world.ts';
import { type Receiver, startReceiver } from '../../../../support/payments/vendor-receiver.ts';

let stripe: Stripe;
let receiver: Receiver;
let world: StripeWorld;

beforeAll(async () => {
  [stripe, receiver] = await Promise.all([startStripe(), startReceiver()]);
});
afterAll(async () => {
  receiver.close();
  await stripe.stop();
});
beforeEach(async () => {
  world = await createWorld(stripe, { options: { balanceTransactionMs: 0 } });
});

const control = () => stripe.control;
const id = () => world.account.id;
const longAgo = () => new Date(Date.now() - 24 * 3600_000);

async function all<T>(list: (page: string | undefined) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  let page: string | undefined;
  do {
    const { items: more, next }: Page<T> = await list(page);
    items.push(...more);
    page = next;
  } while (page);
  return items;
}
const statement = () => all<StatementLine>((page) => world.provider.listStatement(longAgo(), page, noHurry));
const listed = (since = longAgo()) =>
  all<ListedOrder>((page) => world.provider.listOrders('charge', since, page, noHurry));

describe('the account', () => {
  test('reports its capabilities and balances, its own currency first', async () => {
    const { capabilities, balances } = await world.provider.inspectAccount(noHurry);
    expect(capabilities).toMatchObject({
      card: null,
      ach_debit: null,
      sepa_debit: null,
      bank_transfer: null,
      pix: expect.stringContaining('PIX'),
      boleto: expect.any(String),
      payout: expect.any(String),
      tax_document: expect.any(String),
    });
    expect(balances).toEqual([{ currency: 'USD', amountMinor: 0 }]);
    await control().transaction(id(), { amount: 700, currency: 'eur' });
    await control().transaction(id(), { amount: 500, currency: 'isk' });
    expect((await world.provider.inspectAccount(noHurry)).balances).toEqual([
      { currency: 'USD', amountMinor: 0 },
      { currency: 'EUR', amountMinor: 700 },
      { currency: 'ISK', amountMinor: 5 },
    ]);
  });

  test('explains what to set up', async () => {
    const off = {
      card_payments: 'pending',
      sepa_debit_payments: 'inactive',
      us_bank_transfer_payments: 'inactive',
    } as const;
    await control().options(id(), { capabilities: off });
    const { capabilities } = await world.provider.inspectAccount(noHurry);
    expect(capabilities).toMatchObject({
      card: expect.stringContaining('under review'),
      sepa_debit: expect.stringContaining('payment method settings in Stripe'),
      bank_transfer: null,
    });
    await control().options(id(), { chargesEnabled: false });
    const closed = await world.provider.inspectAccount(noHurry);
    expect(closed.capabilities.ach_debit).toContain('Complete the account details');
  });

  test('does only what Stripe supports', async () => {
    const { provider } = world;
    expect(await provider.listOrders('payout', longAgo(), undefined, noHurry)).toEqual({ items: [] });
    await expect(fetchProviderFile(provider, 'https://example.com', noHurry)).rejects.toBeInstanceOf(
      ProviderRejected,
    );
  });
});

describe('the statement', () => {
  test('has each movement once, with its charge, and adds up to the balance', async () => {
    const { order, charge } = await world.submitted();
    const { id: refund } = await control().refund(id(), charge, { amount: 100 });
    await control().concludeRefund(id(), refund, { outcome: 'failed' });
    const { id: dispute } = await control().dispute(id(), charge, { amount: 5000 });
    await control().closeDispute(id(), dispute, 'won');
    await control().transaction(id(), { type: 'stripe_fee', reportingCategory: 'fee', amount: -250 });
    const lines = await statement();
    const mine = lines.filter((line) => line.order?.providerReference === order.providerReference);
    expect(mine.map(({ amountMinor }) => amountMinor)).toEqual([5000, -6500, 100, -100, 9680]);
    expect(lines.filter((line) => !line.order)).toMatchObject([
      { amountMinor: -250, currency: 'USD', reason: 'provider_fee' },
    ]);
    const sum = lines.reduce((total, { amountMinor }) => total + amountMinor, 0);
    expect(await world.provider.readBalances(noHurry)).toEqual([{ currency: 'USD', amountMinor: sum }]);
    const { state, adjustments = [] } = await world.read(order);
    const ours = adjustments.reduce((total, { amountMinor }) => total + amountMinor, 0);
    expect(order.amountMinor - (state.feeMinor ?? 0) + ours - 250).toBe(sum);
  });

  test('has a reason for movements without an order of ours', async () => {
    const entries = [
      ['payout', 'payout', -900],
      ['payout_failure', 'payout_reversal', 900],
      ['reserve_hold', 'risk_reserved_funds', -50],
      ['reserve_release', 'something', 50],
      ['adjustment', 'dispute', -20],
      ['adjustment', 'dispute_reversal', 20],
      ['topup', 'topup', 70],
      ['something', 'something', -1],
    ] as const;
    for (const [type, reportingCategory, amount] of entries)
      await control().transaction(id(), { type, reportingCategory, amount });
    expect((await statement()).map(({ reason }) => reason).reverse()).toEqual([
      'balance_released',
      'returned',
      'balance_blocked',
      'balance_released',
      'chargeback',
      'chargeback_won',
      'received_outside',
      'provider_fee',
    ]);
  });

  test('reads pages without missing or duplicating a line', async () => {
    const amounts = Array.from({ length: 101 }, (_, index) => index + 1);
    for (const amount of amounts) await control().transaction(id(), { amount });
    const lines = await statement();
    expect(lines.map(({ amountMinor }) => amountMinor).reverse()).toEqual(amounts);
    expect(new Set(lines.map((line) => line.id)).size).toBe(101);
  });
});

describe('the list of charges', () => {
  test('has the created charges as a lookup would return them, and skips foreign ones', async () => {
    const { order: open } = await world.create();
    const { order: paid, charge } = await world.submitted();
    await control().refund(id(), charge, { amount: 100 });
    await fetch(`${stripe.url}/v1/checkout/sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.account.apiKey}` },
      body: new URLSearchParams({
        mode: 'payment',
        success_url: 'https://shop.example',
        'line_items[0][quantity]': '1',
        'line_items[0][price_data][currency]': 'usd',
        'line_items[0][price_data][unit_amount]': '5000',
        'line_items[0][price_data][product_data][name]': 'Thing',
      }),
    });
    const [strangers, second, first, ...more] = await listed();
    expect(more).toEqual([]);
    expect(strangers).toMatchObject({ reference: undefined, report: undefined });
    expect([second?.reference, first?.reference]).toEqual([paid.reference, open.reference]);
    expect(second?.report).toEqual(await world.read(paid));
    expect(first?.report?.state.status).toBe('open');
  });

  test('distinguishes expired charges from those that can have another page', async () => {
    const past = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    const { order: over } = await world.create({ createdAt: past(10), expiresAt: past(5) });
    const { order: off } = await world.create();
    for (const order of [over, off]) await chargesOf(world.provider).cancel(order, noHurry);
    const states = (await listed()).map(({ reference, report }) => [reference, report?.state.status]);
    expect(Object.fromEntries(states)).toEqual({ [over.reference]: 'failed', [off.reference]: 'open' });
  });

  test('has charges with later events once, over pages', async () => {
    const other = await startStripe();
    world = await createWorld(other);
    const { order, charge } = await world.submitted();
    await other.control.advance({ days: 2 });
    const since = new Date(Date.now() + 24 * 3600_000);
    for (let times = 0; times < 30; times += 1) await other.control.refund(id(), charge, { amount: 1 });
    const { order: later } = await world.submitted({ createdAt: new Date(Date.now() + 48 * 3600_000) });
    const found = await listed(since);
    const references = found.map(({ reference }) => reference);
    expect(references.filter((reference) => reference === later.reference)).toHaveLength(1);
    expect(new Set(references)).toEqual(new Set([order.reference, later.reference]));
    const again = found.find(({ reference }) => reference === order.reference);
    expect(again?.report && totalsOf(again.report)).toMatchObject({ 'refund USD': -30 });
    await other.stop();
  });

  test('reads all pages', async () => {
    await Promise.all(Array.from({ length: 101 }, () => world.create()));
    const found = await listed();
    expect(new Set(found.map(({ providerReference }) => providerReference)).size).toBe(101);
    expect(found).toHaveLength(101);
  });
});

describe('our webhook', () => {
  const at = (path: string, reference?: string) => ({
    url: `${receiver.url}${path}`,
    secret: 'ours',
    email: 'ops@demo.example',
    reference,
  });
  const endpoints = async () => (await control().account(id())).endpoints;

  test('is created, kept while its secret is known, and repaired', async () => {
    const webhook = at('/kept');
    const { reference, secret = null, state } = await world.provider.ensureWebhook(webhook, noHurry);
    expect([state, secret]).toEqual(['active', expect.stringMatching(/^whsec_/)]);
    const known = world.as({ webhookSecret: secret });
    const change = { disabled: 'true', 'enabled_events[0]': 'charge.updated' };
    await fetch(`${stripe.url}/v1/webhook_endpoints/${reference}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.account.apiKey}` },
      body: new URLSearchParams(change),
    });
    expect(await endpoints()).toMatchObject([{ status: 'disabled' }]);
    const again = await known.ensureWebhook({ ...webhook, reference }, noHurry);
    expect(again).toEqual({ reference, state: 'active', wasResumed: true, secret: undefined });
    expect(await endpoints()).toMatchObject([
      { status: 'enabled', enabled_events: expect.arrayContaining(['checkout.session.completed']) },
    ]);
  });

  test('is created again if its secret is unknown, and then is the only one at its URL', async () => {
    const [webhook, other] = [at('/mine'), at('/other')];
    await world.provider.ensureWebhook(other, noHurry);
    const first = await world.provider.ensureWebhook(webhook, noHurry);
    await control().fault({
      kind: 'cut_after',
      method: 'POST',
      path: '/v1/webhook_endpoints',
      account: id(),
    });
    await expect(
      world.provider.ensureWebhook({ ...webhook, reference: first.reference }, noHurry),
    ).rejects.toBeInstanceOf(ProviderOutcomeUnknown);
    const last = await world.provider.ensureWebhook({ ...webhook, reference: first.reference }, noHurry);
    const there = (await endpoints()).filter(({ url }) => url === webhook.url);
    expect(there.map((endpoint) => endpoint.id)).toEqual([last.reference]);
    expect(last.reference).not.toBe(first.reference);
    expect(await endpoints()).toHaveLength(2);
    for (let times = 0; times < 2; times += 1) await world.provider.removeWebhook(webhook, noHurry);
    expect((await endpoints()).map(({ url }) => url)).toEqual([other.url]);
  });

  test('verifies what Stripe signed, and nothing else', async () => {
    const { secret = null } = await world.provider.ensureWebhook(at('/proved'), noHurry);
    const known = world.as({ webhookSecret: secret });
    const { order } = await world.submitted();
    await control().settle();
    const delivery = receiver.received.find(({ path, body }) =>
      path === '/proved' ? body.data.object.client_reference_id === order.reference : false,
    );
    const headers = new Headers({ 'stripe-signature': String(delivery?.headers['stripe-signature']) });
    const body = new TextEncoder().encode(delivery?.raw);
    expect(await known.verifyDelivery(headers, body)).toBe(true);
    expect(await known.verifyDelivery(new Headers(), body)).toBe(false);
    expect(await known.verifyDelivery(new Headers({ 'stripe-signature': 'nonsense' }), body)).toBe(false);
    expect(await known.verifyDelivery(headers, new TextEncoder().encode(`${delivery?.raw} `))).toBe(false);
    expect(await world.provider.verifyDelivery(headers, body)).toBe(false);
    expect(await world.as({ webhookSecret: 'whsec_other' }).verifyDelivery(headers, body)).toBe(false);
    expect(known.readEvents(headers, body)).toEqual([
      {
        eventId: delivery?.body.id,
        type: 'checkout.session.completed',
        about: {
          kind: 'charge',
          reference: order.reference,
          providerReference: order.providerReference,
        },
      },
    ]);
  });

  test('rejects an old signature', async () => {
    await control().options(id(), { signatures: 'old' });
    const { secret = null } = await world.provider.ensureWebhook(at('/old'), noHurry);
    await world.submitted();
    await control().settle();
    const delivery = receiver.received.find(({ path }) => path === '/old');
    const headers = new Headers({ 'stripe-signature': String(delivery?.headers['stripe-signature']) });
    const body = new TextEncoder().encode(delivery?.raw);
    expect(await world.as({ webhookSecret: secret }).verifyDelivery(headers, body)).toBe(false);
  });

  test('receives all relevant events, each identifying its charge', async () => {
    await control().options(id(), { balanceTransactionMs: 3600_000 });
    await world.provider.ensureWebhook(at('/heard'), noHurry);
    const { order, intent, charge } = await world.submitted({ method: 'bank_transfer' });
    await control().transfer(id(), intent, 4000);
    await control().transfer(id(), intent, 7000);
    const { intents } = await control().account(id());
    const paid = intents[0]?.latest_charge ?? charge;
    await control().enterCharge(id(), paid);
    await control().refund(id(), paid, { amount: 100 });
    await control().dispute(id(), paid, { amount: 500 });
    await control().settle();
    const heard = receiver.received.filter(({ path }) => path === '/heard');
    const types = new Set(heard.map(({ body }) => body.type));
    expect([...types].toSorted()).toEqual([
      'charge.dispute.closed',
      'charge.dispute.created',
      'charge.dispute.funds_withdrawn',
      'charge.refunded',
      'charge.updated',
      'checkout.session.async_payment_succeeded',
      'checkout.session.completed',
      'customer_cash_balance_transaction.created',
      'payment_intent.partially_funded',
    ]);
    for (const { raw } of heard) {
      const [event] = world.provider.readEvents(new Headers(), new TextEncoder().encode(raw));
      const about = event?.about?.kind === 'charge' ? event.about : undefined;
      expect(about, event?.type).toBeDefined();
      if (about?.reference) expect(about.reference).toBe(order.reference);
      else {
        const led = await world.read({ ...order, providerReference: about?.providerReference });
        expect(led.providerReference).toBe(order.providerReference);
      }
    }
  });

  test('ignores foreign events, and receives those of the account', () => {
    const read = (object: object) =>
      world.provider.readEvents(
        new Headers(),
        new TextEncoder().encode(JSON.stringify({ id: 'evt_1', type: 'x', data: { object } })),
      )[0]?.about;
    expect(read({ object: 'checkout.session', id: 'cs_1', metadata: {} })).toBeUndefined();
    expect(read({ object: 'account', id: 'acct_1' })).toEqual({ kind: 'account' });
    expect(read({ object: 'product', id: 'prod_1' })).toBeUndefined();
    expect(() => world.provider.readEvents(new Headers(), new TextEncoder().encode('{}'))).toThrow();
  });
});

test('the adapter works and verifies a signature under Deno', async () => {
  const { secret } = await world.provider.ensureWebhook(
    { url: `${receiver.url}/deno`, secret: '', email: '', reference: undefined },
    noHurry,
  );
  const { order } = await world.submitted();
  await control().settle();
  const delivery = receiver.received.find(({ path }) => path === '/deno');
  const input = {
    key: world.account.apiKey,
    url: stripe.url,
    secret,
    order,
    signature: delivery?.headers['stripe-signature'],
    raw: delivery?.raw,
  };
  const permissions = ['--allow-net=127.0.0.1', '--allow-env', '--allow-read'];
  const script = ['tests/support/payments/stripe-under-deno.ts', JSON.stringify(input)];
  const deno = ['run', '--quiet', '--no-lock', '--node-modules-dir=manual', ...permissions, ...script];
  const { stdout } = await promisify(execFile)('node_modules/deno/deno', deno);
  expect(JSON.parse(stdout)).toMatchObject({
    status: 'paid',
    proved: [true, false],
    refused: 'ProviderKeyRejected',
  });
});
