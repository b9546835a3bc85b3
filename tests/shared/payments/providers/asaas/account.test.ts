import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Asaas } from '../../../../../local/providers/asaas/index.ts';
import type { WebhookOrder } from '../../../../../shared/payments/providers/accounts.ts';
import { CORE_EVENTS } from '../../../../../shared/payments/providers/asaas/webhooks.ts';
import { ProviderKeyRejected } from '../../../../../shared/payments/providers/errors.ts';
import { chargesOf } from '../../../../../shared/payments/providers/provider.ts';
import { startAsaasForTest, TOKEN, webhookOrder } from '../../../../support/payments/asaas.ts';
import { connectAsaas, patient } from '../../../../support/payments/asaas-provider.ts';
import { type Receiver, startReceiver } from '../../../../support/payments/vendor-receiver.ts';

let asaas: Asaas;
beforeAll(async () => {
  asaas = (await startAsaasForTest()).asaas;
});
afterAll(() => asaas.stop());

const receivers: Receiver[] = [];
afterEach(() => {
  for (const receiver of receivers.splice(0)) receiver.close();
});

const connect = (account = {}) => connectAsaas(asaas, { account });

describe('capabilities', () => {
  test('all of Brazil, and the balance', async () => {
    const { provider } = await connect({ balance: 12.34 });
    expect(await provider.inspectAccount(patient)).toEqual({
      capabilities: {
        pix: null,
        boleto: null,
        card: null,
        payout: null,
        tax_document: null,
        tax_document_cancellation: null,
        ach_debit: expect.any(String),
        sepa_debit: expect.any(String),
        bank_transfer: expect.any(String),
      },
      balances: [{ currency: 'BRL', amountMinor: 1_234 }],
      fiscal: { regime: 'simples', nationalPortal: null },
    });
    expect(await provider.readBalances(patient)).toEqual([{ currency: 'BRL', amountMinor: 1_234 }]);
  });

  test.each([
    [{ simplesNacional: false, useNationalPortal: true }, 'normal', true],
    [{ simplesNacional: null }, 'unknown', null],
    [{ fiscalInfo: false }, 'unknown', null],
  ] as const)('%j: the tax regime is %s', async (options, regime, nationalPortal) => {
    const { provider } = await connect({ options });
    expect((await provider.inspectAccount(patient)).fiscal).toEqual({ regime, nationalPortal });
  });

  test('without a Pix key and fiscal setup, explains what to do', async () => {
    const { provider } = await connect({ options: { pixKey: false, fiscalInfo: false } });
    const { capabilities } = await provider.inspectAccount(patient);
    expect(capabilities).toMatchObject({
      pix: expect.stringContaining('Minhas chaves'),
      boleto: null,
      tax_document: expect.stringContaining('Notas fiscais'),
      tax_document_cancellation: expect.stringContaining('Notas fiscais'),
    });
  });

  test('whether the city supports cancellations', async () => {
    const { provider } = await connect({ options: { supportsCancellation: false } });
    const { capabilities } = await provider.inspectAccount(patient);
    expect(capabilities).toMatchObject({
      tax_document: null,
      tax_document_cancellation: expect.stringContaining("Cancel the document in the municipality's system"),
    });
  });

  test('a rejected key', async () => {
    const { provider, account } = await connect();
    await asaas.control.key(account.id, account.apiKey, { enabled: false });
    await expect(provider.inspectAccount(patient)).rejects.toBeInstanceOf(ProviderKeyRejected);
  });

  test('an account without an approval status counts as approved', async () => {
    const { provider, account } = await connect();
    await asaas.control.fault({ kind: 'error_before', path: '/v3/myAccount/status/', account: account.id });
    expect((await provider.inspectAccount(patient)).capabilities.payout).toBeNull();
  });
});

describe('our webhook', () => {
  async function listening() {
    const receiver = await startReceiver();
    receivers.push(receiver);
    const connected = await connect();
    const url = `${receiver.url}/callbacks/providers/asaas/pacc_1`;
    const order: WebhookOrder = { url, secret: TOKEN, email: 'ops@demo.example', reference: undefined };
    const webhooks = async () => (await connected.ok('GET', '/webhooks')).data;
    return { ...connected, receiver, order, webhooks };
  }

  test('is created once, and delivers verifiable events', async () => {
    const { provider, order, webhooks, receiver, chargeOrder, account } = await listening();
    const made = await provider.ensureWebhook(order, patient);
    expect(made).toEqual({ reference: expect.any(String), state: 'active', secret: undefined });
    expect(await provider.ensureWebhook(order, patient)).toEqual({ ...made, wasResumed: false });
    expect(await webhooks()).toMatchObject([
      { id: made.reference, url: order.url, enabled: true, interrupted: false, sendType: 'NON_SEQUENTIALLY' },
    ]);
    const charge = await chargeOrder();
    const { providerReference } = await chargesOf(provider).create(charge, patient);
    await asaas.control.pay(account.id, providerReference);
    await asaas.control.settle();
    const [delivery] = receiver.received;
    const headers = new Headers({ 'asaas-access-token': String(delivery?.headers['asaas-access-token']) });
    const body = new TextEncoder().encode(delivery?.raw);
    expect(await provider.verifyDelivery(headers, body)).toBe(true);
    expect(provider.readEvents(headers, body)).toEqual([
      {
        eventId: delivery?.body.id,
        type: 'PAYMENT_RECEIVED',
        about: { kind: 'charge', reference: charge.reference, providerReference },
      },
    ]);
    expect(delivery?.body.id).toContain('&');
  });

  test('is repaired: other settings, another token, a duplicate', async () => {
    const { provider, order, webhooks, ok, receiver, chargeOrder, account } = await listening();
    const wrong = {
      enabled: false,
      authToken: 'x'.repeat(40),
      sendType: 'SEQUENTIALLY',
      events: ['PAYMENT_CREATED'],
    };
    await ok('POST', '/webhooks', webhookOrder(order.url, wrong));
    await ok('POST', '/webhooks', webhookOrder(order.url));
    await ok('POST', '/webhooks', webhookOrder(`${receiver.url}/someone-else`));
    const { state } = await provider.ensureWebhook(order, patient);
    expect(state).toBe('active');
    expect((await webhooks()).filter(({ url }: { url: string }) => url === order.url)).toMatchObject([
      { enabled: true, sendType: 'NON_SEQUENTIALLY' },
    ]);
    expect(await webhooks()).toHaveLength(2);
    const { providerReference } = await chargesOf(provider).create(await chargeOrder(), patient);
    await asaas.control.pay(account.id, providerReference);
    await asaas.control.settle();
    const [delivery] = receiver.received.filter(({ path }) => path.includes('pacc_1'));
    expect(delivery?.headers['asaas-access-token']).toBe(TOKEN);
  });

  test('is reactivated when its queue is paused, and its penalty removed', async () => {
    const { provider, order, webhooks, receiver, chargeOrder, account } = await listening();
    await provider.ensureWebhook(order, patient);
    receiver.answer = () => ({ status: 500 });
    const { providerReference } = await chargesOf(provider).create(await chargeOrder(), patient);
    await asaas.control.pay(account.id, providerReference);
    await asaas.control.advance({ days: 2 });
    expect(await webhooks()).toMatchObject([{ interrupted: true }]);
    receiver.answer = () => ({ status: 200 });
    const before = receiver.received.length;
    expect(await provider.ensureWebhook(order, patient)).toMatchObject({ state: 'active', wasResumed: true });
    await asaas.control.settle();
    expect(receiver.received.length).toBeGreaterThan(before);
    expect(await webhooks()).toMatchObject([{ interrupted: false, penalizedRequestsCount: 0 }]);
    const path = '/v3/webhooks/*/removeBackoff';
    expect(await asaas.control.requests({ method: 'POST', path, account: account.id })).toHaveLength(1);
  });

  test('has only the core events if Asaas rejects others, until all are tried again', async () => {
    const { provider, order, webhooks, account } = await listening();
    const refuse = (refusedWebhookEvents: string[]) =>
      asaas.control.options(account.id, { refusedWebhookEvents });
    const eventsOf = async () => (await webhooks())[0].events;
    await refuse(['BALANCE_VALUE_BLOCKED']);
    for (const tried of [1, 2]) {
      const { state, warning } = await provider.ensureWebhook(order, patient);
      expect([tried, state, warning]).toEqual([tried, 'active', 'Evento inválido: BALANCE_VALUE_BLOCKED']);
      expect(await eventsOf()).toEqual(CORE_EVENTS);
    }
    await refuse([]);
    await provider.ensureWebhook({ ...order, onlyCoreEvents: true }, patient);
    expect(await eventsOf()).toEqual(CORE_EVENTS);
    expect((await provider.ensureWebhook(order, patient)).warning).toBeUndefined();
    expect(await eventsOf()).toContain('BALANCE_VALUE_BLOCKED');
    await refuse(['BALANCE_VALUE_BLOCKED', 'PAYMENT_RECEIVED']);
    await expect(provider.ensureWebhook(order, patient)).rejects.toThrow('PAYMENT_RECEIVED');
  });

  test('is deleted, repeatedly, without affecting others', async () => {
    const { provider, order, webhooks, ok, receiver } = await listening();
    await ok('POST', '/webhooks', webhookOrder(`${receiver.url}/someone-else`));
    const { reference } = await provider.ensureWebhook(order, patient);
    await provider.removeWebhook({ ...order, reference }, patient);
    await provider.removeWebhook({ ...order, reference }, patient);
    await provider.removeWebhook(order, patient);
    expect(await webhooks()).toMatchObject([{ url: `${receiver.url}/someone-else` }]);
  });
});

describe('deliveries', () => {
  const read = async (event: object) => {
    const { provider } = await connect();
    return provider.readEvents(new Headers(), new TextEncoder().encode(JSON.stringify(event)))[0];
  };

  test.each([
    [
      'PAYMENT_BRAND_NEW',
      { payment: { id: 'pay_1', externalReference: null } },
      'charge',
      'pay_1',
      undefined,
    ],
    ['TRANSFER_DONE', { transfer: { id: 'a-b', externalReference: 'po_1' } }, 'payout', 'a-b', 'po_1'],
    [
      'INVOICE_ERROR',
      { invoice: { id: 'inv_9', externalReference: 'nf_1' } },
      'tax_document',
      'inv_9',
      'nf_1',
    ],
  ])('%s identifies the order to look up', async (event, about, kind, providerReference, reference) => {
    expect(await read({ id: 'evt_1&2', event, ...about })).toEqual({
      eventId: 'evt_1&2',
      type: event,
      about: { kind, reference, providerReference },
    });
  });

  test.each(['ACCESS_TOKEN_EXPIRED', 'BALANCE_VALUE_BLOCKED'])('%s belongs to the account', async (event) => {
    expect((await read({ id: 'evt_1&2', event }))?.about).toEqual({ kind: 'account' });
  });

  test('unrelated events affect nothing, and an invalid event throws', async () => {
    expect((await read({ id: 'evt_1&2', event: 'BILL_PAID', bill: { id: 'x' } }))?.about).toBeUndefined();
    expect((await read({ id: 'evt_1&2', event: 'PAYMENT_CREATED' }))?.about).toBeUndefined();
    await expect(read({ event: 'PAYMENT_RECEIVED' })).rejects.toThrow();
    const { provider } = await connect();
    expect(() => provider.readEvents(new Headers(), new TextEncoder().encode('{'))).toThrow();
  });

  test("only the account's own token verifies them", async () => {
    const { provider } = await connect();
    const proves = (token?: string) =>
      provider.verifyDelivery(
        new Headers(token === undefined ? {} : { 'asaas-access-token': token }),
        new Uint8Array(),
      );
    expect(await proves(TOKEN)).toBe(true);
    expect(await proves(`${TOKEN}x`)).toBe(false);
    expect(await proves(TOKEN.replace('whk', 'whl'))).toBe(false);
    expect(await proves('')).toBe(false);
    expect(await proves()).toBe(false);
  });
});
