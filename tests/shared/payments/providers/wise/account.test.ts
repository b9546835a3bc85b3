// The Wise account apart from payouts: capabilities, webhooks and their content, statement, lists.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startWise, type Wise } from '../../../../../local/providers/wise/index.ts';
import type { ListedOrder, StatementLine } from '../../../../../shared/payments/providers/accounts.ts';
import { chargesOf, payoutsOf, taxDocumentsOf } from '../../../../../shared/payments/providers/provider.ts';
import { type Received, type Receiver, startReceiver } from '../../../../support/payments/vendor-receiver.ts';
import {
  PATIENT,
  payoutOrder,
  type WiseAdapter,
  wiseAdapter,
} from '../../../../support/payments/wise-adapter.ts';

let wise: Wise;
beforeAll(async () => {
  wise = await startWise();
  await wise.control.setFrozen(true);
});
afterAll(() => wise.stop());

const DAY_MS = 24 * 60 * 60_000;

async function receiverForTest(): Promise<Receiver> {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  return receiver;
}

const webhookAt = (url: string, reference?: string) => ({
  url: `${url}/functions/v1/callbacks/providers/wise/pacc_1`,
  secret: 'unused',
  email: 'owner@example.com',
  reference,
});

const headersOf = ({ headers }: Received): Headers =>
  new Headers(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
const bytesOf = ({ raw }: Received): Uint8Array => new TextEncoder().encode(raw);

describe('capabilities', () => {
  test("include payouts, with the account's currency first", async () => {
    const { provider } = await wiseAdapter(wise, { balances: { USD: 7, EUR: 12.5, JPY: 300 } });
    const report = await provider.inspectAccount(PATIENT);
    expect(report.balances).toEqual([
      { currency: 'EUR', amountMinor: 1250 },
      { currency: 'USD', amountMinor: 700 },
      { currency: 'JPY', amountMinor: 300 },
    ]);
    expect(await provider.readBalances(PATIENT)).toEqual(report.balances);
    const { payout, ...others } = report.capabilities;
    expect(payout).toBeNull();
    for (const reason of Object.values(others)) expect(reason).toMatch(/^Wise .*\.$/);
  });

  test('are empty for a profile that the token cannot access, and list the accessible ones', async () => {
    const { provider, account } = await wiseAdapter(wise, { profileId: '9007199254740993' });
    const { capabilities, balances } = await provider.inspectAccount(PATIENT);
    expect(balances).toEqual([]);
    expect(capabilities.payout).toContain('no profile 9007199254740993');
    expect(capabilities.payout).toContain(`${account.profile} (business)`);
  });

  test('include neither charges nor tax documents', async () => {
    const { provider } = await wiseAdapter(wise);
    expect([provider.charges, provider.taxDocuments, provider.fetchFile]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(() => chargesOf(provider)).toThrow('Wise does not support charges.');
    expect(() => taxDocumentsOf(provider)).toThrow('Wise does not issue tax documents.');
    const none = { items: [], next: undefined };
    expect(await provider.listOrders('charge', new Date(), undefined, PATIENT)).toEqual(none);
    expect(await provider.listOrders('tax_document', new Date(), undefined, PATIENT)).toEqual(none);
  });
});

describe('the webhook', () => {
  const subscriptions = async ({ account }: WiseAdapter) =>
    (await wise.control.account(account.id)).subscriptions;
  const triggersOf = async (adapter: WiseAdapter) =>
    (await subscriptions(adapter)).map(({ triggerOn }) => triggerOn).sort();
  const ALL = ['transfers#payout-failure', 'transfers#refund', 'transfers#state-change'];

  test('is created once, for all events about payouts', async () => {
    const adapter = await wiseAdapter(wise);
    const { url } = await receiverForTest();
    const made = await adapter.provider.ensureWebhook(webhookAt(url), PATIENT);
    const again = await adapter.provider.ensureWebhook(webhookAt(url, made.reference), PATIENT);
    expect(made).toEqual({ reference: expect.any(String), state: 'active', secret: undefined });
    expect(again).toEqual(made);
    expect(await triggersOf(adapter)).toEqual(ALL);
  });

  test('is repaired: duplicates, old versions and former URLs are deleted, foreign ones stay', async () => {
    const adapter = await wiseAdapter(wise);
    const receiver = await receiverForTest();
    const { url } = webhookAt(receiver.url);
    const path = `/profiles/${adapter.account.profile}/subscriptions`;
    const subscribe = (trigger_on: string, version: string, at: string) =>
      adapter.ok('POST', path, { name: 'x', trigger_on, delivery: { version, url: at } });
    await subscribe('transfers#state-change', '2.0.0', url);
    await subscribe('transfers#refund', '4.0.0', url);
    await subscribe('transfers#refund', '4.0.0', url);
    await subscribe('balances#update', '4.0.0', url);
    await subscribe('transfers#state-change', '4.0.0', `${receiver.url}/theirs`);
    const former = await subscribe('transfers#state-change', '4.0.0', `${receiver.url}/former`);
    await adapter.provider.ensureWebhook(webhookAt(receiver.url, former.id), PATIENT);
    const left = (await subscriptions(adapter)).map(({ triggerOn, url: at, version }) => [
      triggerOn,
      at,
      version,
    ]);
    expect(left.toSorted()).toEqual(
      [
        ...ALL.map((trigger) => [trigger, url, '4.0.0']),
        ['transfers#state-change', `${receiver.url}/theirs`, '4.0.0'],
      ].toSorted(),
    );
  });

  test('works without optional events, but not without states', async () => {
    const adapter = await wiseAdapter(wise);
    const { url } = await receiverForTest();
    const path = '/2026Q3/profiles/*/subscriptions';
    const refused = {
      kind: 'error_before',
      account: adapter.account.id,
      method: 'POST',
      path,
      status: 403,
    } as const;
    const receiver = await adapter.provider.ensureWebhook(webhookAt(url), PATIENT);
    expect(receiver.state).toBe('active');
    await adapter.provider.removeWebhook(webhookAt(url), PATIENT);
    await wise.control.fault({ ...refused, body: { error: 'Forbidden', message: 'No' } });
    await expect(adapter.provider.ensureWebhook(webhookAt(url), PATIENT)).rejects.toMatchObject({
      name: 'ProviderRejected',
      message: 'No',
    });
  });

  test('is rejected if nothing responds at the URL', async () => {
    const adapter = await wiseAdapter(wise);
    const receiver = await receiverForTest();
    receiver.answer = () => ({ status: 500 });
    await expect(adapter.provider.ensureWebhook(webhookAt(receiver.url), PATIENT)).rejects.toMatchObject({
      name: 'ProviderRejected',
    });
  });

  test('is deleted, repeatedly', async () => {
    const adapter = await wiseAdapter(wise);
    const { url } = await receiverForTest();
    await adapter.provider.ensureWebhook(webhookAt(url), PATIENT);
    await adapter.provider.removeWebhook(webhookAt(url), PATIENT);
    await adapter.provider.removeWebhook(webhookAt(url), PATIENT);
    expect(await subscriptions(adapter)).toEqual([]);
  });

  test('is deleted though the address of the functions has changed', async () => {
    const adapter = await wiseAdapter(wise);
    await adapter.provider.ensureWebhook(webhookAt((await receiverForTest()).url), PATIENT);
    await adapter.provider.removeWebhook(webhookAt('https://placar.example'), PATIENT);
    expect(await subscriptions(adapter)).toEqual([]);
  });
});

describe('an event of Wise', () => {
  async function told(): Promise<{ adapter: WiseAdapter; receiver: Receiver; id: string }> {
    const adapter = await wiseAdapter(wise, { options: { transfers: 'held' } });
    const receiver = await receiverForTest();
    await adapter.provider.ensureWebhook(webhookAt(receiver.url), PATIENT);
    const { providerReference: id } = await payoutsOf(adapter.provider).create(payoutOrder(), PATIENT);
    const { account } = adapter;
    for (const step of ['next', 'next', 'bounce', 'refund'] as const)
      await wise.control.transfer(account.id, Number(id), { step });
    await wise.control.settle();
    return { adapter, receiver, id };
  }

  test('is verified with its key, and nothing else', async () => {
    const { adapter, receiver } = await told();
    const { verifyDelivery: proves } = adapter.provider;
    expect(receiver.received.length).toBeGreaterThan(5);
    for (const request of receiver.received)
      expect(await proves(headersOf(request), bytesOf(request))).toBe(true);
    const [request] = receiver.received;
    if (!request) throw new Error('nothing was received');
    const other = new TextEncoder().encode(`${request.raw} `);
    expect(await proves(headersOf(request), other)).toBe(false);
    for (const signature of ['', 'AAAA', 'not base64!', request.headers['x-delivery-id']]) {
      const headers = new Headers({ 'x-signature-sha256': String(signature) });
      expect(await proves(headers, bytesOf(request))).toBe(false);
    }
    expect(await proves(new Headers(), bytesOf(request))).toBe(false);
  });

  test('identifies the payout, and has its own id', async () => {
    const { adapter, receiver, id } = await told();
    const events = receiver.received.flatMap((request) =>
      adapter.provider.readEvents(headersOf(request), bytesOf(request)),
    );
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(['transfers#state-change', 'transfers#payout-failure', 'transfers#refund']),
    );
    for (const { about } of events)
      expect(about).toEqual({ kind: 'payout', reference: undefined, providerReference: id });
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length);
    const states = events
      .filter(({ type }) => type === 'transfers#state-change')
      .map(({ eventId }) => eventId);
    expect(states[0]).toMatch(new RegExp(`^${id}:incoming_payment_waiting:\\d{4}-\\d\\d-\\d\\dT`));
  });

  test('that is a test of the URL is verified and ignored', async () => {
    const { adapter, receiver } = await told();
    const tests = receiver.received.filter(({ headers }) => headers['x-test-notification'] === 'true');
    expect(tests).toHaveLength(3);
    for (const request of tests) {
      expect(await adapter.provider.verifyDelivery(headersOf(request), bytesOf(request))).toBe(true);
      expect(adapter.provider.readEvents(headersOf(request), bytesOf(request))).toEqual([]);
    }
  });

  test('has the same id when another subscription delivers it', async () => {
    const { adapter } = await told();
    const body = (subscription_id: string) =>
      new TextEncoder().encode(
        JSON.stringify({
          data: {
            resource: { type: 'transfer', id: 1, profile_id: adapter.account.profile },
            current_state: 'processing',
            occurred_at: '2026-11-22T00:00:00Z',
          },
          subscription_id,
          event_type: 'transfers#state-change',
        }),
      );
    const [one, other] = ['a', 'b'].map((id) => adapter.provider.readEvents(new Headers(), body(id)));
    expect(one).toEqual(other);
  });

  test.each<[string, object, object | undefined]>([
    [
      'the whole of a large id',
      { resource: { type: 'transfer', id: '9007199254740993' } },
      { kind: 'payout', providerReference: '9007199254740993' },
    ],
    ['nothing of another profile', { resource: { type: 'transfer', id: '7', profile_id: '1' } }, undefined],
  ])('is %s', async (_, data, about) => {
    const { provider } = await wiseAdapter(wise);
    // Ids are sent without quotes.
    const text = JSON.stringify({ event_type: 'transfers#active-cases', sent_at: 'x', data }).replace(
      /"(\d+)"/g,
      '$1',
    );
    const [event] = provider.readEvents(new Headers(), new TextEncoder().encode(text));
    if (about) expect(event?.about).toMatchObject(about);
    else expect(event?.about).toBeUndefined();
  });

  test('about a balance concerns the account, and an unknown one nothing', async () => {
    const { provider } = await wiseAdapter(wise);
    const read = (event_type: string) =>
      provider.readEvents(new Headers(), new TextEncoder().encode(JSON.stringify({ event_type, data: {} })));
    expect(read('balances#update')[0]?.about).toEqual({ kind: 'account' });
    expect(read('cards#something')[0]?.about).toBeUndefined();
  });

  test.each(['', '{', '[]', '{"event_type":"x"}', 'null'])(
    'that is invalid (%s) is rejected',
    async (text) => {
      const { provider } = await wiseAdapter(wise);
      expect(() => provider.readEvents(new Headers(), new TextEncoder().encode(text))).toThrow();
    },
  );
});

describe('the reconciled data', () => {
  async function everyPage<T>(
    read: (page: string | undefined) => Promise<{ items: T[]; next: string | undefined }>,
  ) {
    const pages: T[][] = [];
    let page: string | undefined;
    do {
      const { items, next } = await read(page);
      pages.push(items);
      page = next;
    } while (page !== undefined);
    return pages;
  }

  test('contains every payout in pages, as a lookup would return it', async () => {
    const adapter = await wiseAdapter(wise, {
      options: { transfers: 'held' },
    });
    const order = payoutOrder();
    const { providerReference } = await payoutsOf(adapter.provider).create(order, PATIENT);
    await wise.control.transfer(adapter.account.id, Number(providerReference), { step: 'next' });
    await wise.control.transfer(adapter.account.id, Number(providerReference), { step: 'next' });
    for (let other = 0; other < 27; other++) await adapter.transfer();
    const pages = await everyPage<ListedOrder>((page) =>
      adapter.provider.listOrders('payout', new Date(Date.now() - DAY_MS), page, PATIENT),
    );
    expect(pages.map((items) => items.length)).toEqual([25, 3]);
    const listed = pages.flat();
    expect(new Set(listed.map((one) => one.providerReference)).size).toBe(28);
    const found = await payoutsOf(adapter.provider).find(order, PATIENT);
    const one = listed.find((candidate) => candidate.providerReference === providerReference);
    expect(one?.report).toEqual({ ...found, state: { ...found?.state, at: expect.any(Date) } });
    expect(found?.state.status).toBe('paid');
  });

  test('contains older payouts, because they may have changed', async () => {
    const late = await startWise();
    onTestFinished(() => late.stop());
    await late.control.setFrozen(true);
    const adapter = await wiseAdapter(late);
    const { providerReference } = await payoutsOf(adapter.provider).create(payoutOrder(), PATIENT);
    const inThreeWeeks = new Date(Date.now() + 21 * DAY_MS);
    const { items } = await adapter.provider.listOrders('payout', inThreeWeeks, undefined, PATIENT);
    expect(items.map((one) => one.providerReference)).toEqual([providerReference]);
  });

  test('contains the statement of every balance, each line once', async () => {
    const adapter = await wiseAdapter(wise, {
      balances: { EUR: 1000, USD: 50 },
      options: { transfers: 'held' },
    });
    const { account, provider } = adapter;
    const { providerReference } = await payoutsOf(provider).create(payoutOrder(), PATIENT);
    await wise.control.statement(account.id, { currency: 'EUR', amount: -3, description: 'Taken' });
    await wise.control.convert(account.id, { from: 'EUR', to: 'USD', amount: 10 });
    for (const step of ['next', 'next', 'bounce', 'refund'] as const)
      await wise.control.transfer(account.id, Number(providerReference), { step });
    const pages = await everyPage<StatementLine>((page) =>
      provider.listStatement(new Date(Date.now() - DAY_MS), page, PATIENT),
    );
    const lines = pages.flat();
    expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
    for (const { currency, amountMinor } of await provider.readBalances(PATIENT)) {
      const sum = lines
        .filter((line) => line.currency === currency)
        .reduce((all, line) => all + line.amountMinor, 0);
      expect(sum).toBe(amountMinor);
    }
    const ofPayout = lines.filter(({ order }) => order?.providerReference === providerReference);
    expect(ofPayout.map(({ amountMinor }) => Math.sign(amountMinor)).sort()).toEqual([-1, 1]);
    expect(lines.find(({ description }) => description === 'Taken')).toMatchObject({
      currency: 'EUR',
      amountMinor: -300,
      order: undefined,
      reason: 'balance_blocked',
    });
    expect(lines.filter(({ reason }) => reason === 'conversion')).toHaveLength(2);
  });

  test.each([
    ['forbidden', { statements: 'forbidden' }],
    ['behind a second proof', { sca: 'refuse' }],
  ] as const)('contains no statement if it is %s, which is logged once', async (_, options) => {
    const { provider, logged } = await wiseAdapter(wise, { options });
    for (let time = 0; time < 2; time++)
      expect(await provider.listStatement(new Date(), undefined, PATIENT)).toEqual({
        items: [],
        next: undefined,
      });
    expect(logged.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });
});
