/**
 * The fake of Stripe's API v1: Checkout sessions in payment mode, refunds, disputes, balance and its transactions, customers' cash
 * balances, webhook endpoints and events. `control` acts as payers and banks.
 */
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import {
  type FakeEnvironment,
  type FakeKit,
  type FakeOptions,
  partsOf,
  type RunningFake,
  startFake,
} from '../fake.ts';
import { idempotency, keyOf, requireAccess } from './access.ts';
import { type Desk, deskOf, find, findAny, newId, render } from './desk.ts';
import { rateLimited, StripeError, serverError } from './errors.ts';
import {
  concludeDebit,
  type DebitEnd,
  enterCharge,
  receiveTransfer,
  remainingOf,
  returnCash,
  type Submission,
  submit,
} from './payments.ts';
import { answer, LIST, page, read, type StripeApp, type StripeEnvironment } from './requests.ts';
import {
  closeDispute,
  concludeRefund,
  createRefund,
  type DisputeOrder,
  openDispute,
  type RefundOrder,
  returnRoutes,
} from './returns.ts';
import { expireSession, sessionRoutes } from './sessions.ts';
import { type Account, type AccountOptions, type ApiKey, DEFAULT_OPTIONS } from './state.ts';
import { webhookRoutes, webhookRules } from './webhooks.ts';

export type OptionsOrder = Partial<AccountOptions>;

export interface AccountOrder {
  country?: string;
  /** Default: EUR outside the United States. */
  currency?: string;
  options?: OptionsOrder;
}

export interface EntryOrder {
  type?: string;
  reportingCategory?: string;
  amount: number;
  currency?: string;
}

/** Amounts are in minor units. All controls take the account's id first. */
function createControls(kit: FakeKit<Account>, desk: (id: string) => Desk) {
  const of =
    <T extends { id: string }, A extends unknown[], R>(
      items: (account: Account) => T[],
      run: (desk: Desk, item: T, ...args: A) => R,
    ) =>
    (id: string, item: string, ...args: A): R =>
      run(desk(id), find(items(desk(id).account), item, 'object'), ...args);
  return {
    createAccount({ country = 'US', currency, options }: AccountOrder = {}) {
      const key = newId('sk_test', 99);
      const lists = { customers: [], sessions: [], intents: [], charges: [], transactions: [], refunds: [] };
      const account: Account = {
        id: newId('acct', 16),
        keys: [{ key, state: 'good', permissions: {} }],
        country,
        defaultCurrency: currency ?? (country === 'US' ? 'usd' : 'eur'),
        options: { ...DEFAULT_OPTIONS, ...options },
        ...lists,
        intentData: {},
        ...{ disputes: [], endpoints: [], secrets: {}, events: [], cashTransactions: [], idempotency: {} },
      };
      kit.state.accounts[account.id] = account;
      return { id: account.id, apiKey: key };
    },
    /** The state of an account, or only these members of it. */
    account: (id: string, ...parts: (keyof Account)[]) => partsOf(desk(id).account, parts),
    options: (id: string, change: OptionsOrder) => void Object.assign(desk(id).account.options, change),
    /** Adds or changes a key. */
    key(id: string, key: string, change: Partial<ApiKey> = {}) {
      const { account } = desk(id);
      const made: ApiKey = { key, state: 'good', permissions: {}, ...change };
      account.keys = [...account.keys.filter((known) => known.key !== key), made];
    },
    /** Submits the page of a session as the payer. */
    pay: (id: string, session: string, submission: Submission = {}) => {
      const known = find(desk(id).account.sessions, session, 'checkout.session');
      submit(desk(id), known, submission);
      return known;
    },
    /** The bank concludes a debit that is processing. */
    concludeDebit: of(
      ({ intents }) => intents,
      (at, intent, end: DebitEnd) => concludeDebit(at, intent, end),
    ),
    /** A bank transfer arrives. Default: the open amount. */
    transfer: of(
      ({ intents }) => intents,
      (at, intent, amount?: number) => receiveTransfer(at, intent, amount),
    ),
    returnCash: of(
      ({ intents }) => intents,
      (at, intent, amount?: number) => returnCash(at, intent, amount),
    ),
    /** Creates the balance transaction of a charge immediately. */
    enterCharge: of(({ charges }) => charges, enterAndTell),
    /** Refunds in the dashboard. */
    refund: of(
      ({ charges }) => charges,
      (at, charge, order: RefundOrder = {}) => createRefund(at, charge, order),
    ),
    concludeRefund: of(({ refunds }) => refunds, concludeRefund),
    dispute: of(
      ({ charges }) => charges,
      (at, charge, order: DisputeOrder = {}) => openDispute(at, charge, order),
    ),
    closeDispute: of(({ disputes }) => disputes, closeDispute),
    /** Adds a transaction without an event. */
    transaction(
      id: string,
      { type = 'stripe_fee', reportingCategory = 'fee', amount, currency }: EntryOrder,
    ) {
      const { enter, account } = desk(id);
      enter({ type, reportingCategory, amount, currency: currency ?? account.defaultCurrency });
    },
    /** Sends an event of any type about an object to all endpoints. */
    event(id: string, { type, id: of, change }: { type: string; id: string; change?: object }) {
      const { account } = desk(id);
      const object = { ...render(account, findAny(account, of) ?? {}), ...change };
      const event = { id: newId('evt'), object: 'event', type, data: { object } };
      const endpoints = account.endpoints.map((endpoint) => endpoint.id);
      const body = JSON.stringify(event);
      kit.webhooks.publish({ id: event.id, name: type, account: id, body }, endpoints);
    },
  };
}

function enterAndTell(desk: Desk, charge: Account['charges'][number]): void {
  enterCharge(desk, charge);
  desk.emit('charge.updated', charge);
}

/** `/v1/account`, and the balance: the sum of the transactions. */
function accountRoutes(): StripeApp {
  const app: StripeApp = new Hono();
  app.get('/account', (c) => {
    const { id, options, country, defaultCurrency } = c.get('desk').account;
    const all = 'card us_bank_account_ach sepa_debit us_bank_transfer sepa_bank_transfer'.split(' ');
    const active = Object.fromEntries(all.map((name) => [`${name}_payments`, 'active']));
    return answer(c, {
      id,
      object: 'account',
      business_profile: { url: null },
      capabilities: { ...active, ...options.capabilities },
      charges_enabled: options.chargesEnabled,
      country,
      default_currency: defaultCurrency,
    });
  });
  app.get('/balance', (c) => {
    const { account, now } = c.get('desk');
    const { transactions } = account;
    const currencies = new Set([account.defaultCurrency, ...transactions.map(({ currency }) => currency)]);
    const sums = (isAvailable: boolean) =>
      [...currencies].map((currency) => ({
        currency,
        amount: transactions
          .filter((one) => one.currency === currency && one.available_on <= now() === isAvailable)
          .reduce((sum, { net }) => sum + net, 0),
      }));
    return answer(c, { object: 'balance', available: sums(true), pending: sums(false) });
  });
  app.get('/balance_transactions', (c) => page(c, c.get('desk').account.transactions, read(c, LIST)));
  return app;
}

/** The page on which a person who tries the demo pays. A second visit transfers the money that a bank transfer waits for. */
function addPages(app: Hono<FakeEnvironment>, desks: () => Desk[]): void {
  const holding = (c: Context) => {
    const id = c.req.param('id');
    const desk = desks().find(({ account }) => account.sessions.some((session) => session.id === id));
    const { sessions, intents } = desk?.account ?? { sessions: [], intents: [] };
    const session = find(sessions, id, 'checkout.session');
    return { desk, session, intent: intents.find((one) => one.id === session.payment_intent) };
  };
  app.get('/c/pay/:id', (c) => {
    const { session, intent } = holding(c);
    const words = `${session.amount_total / 100} ${session.currency}: ${intent?.status ?? session.status}`;
    const isOpen = session.status === 'open' || (intent && remainingOf(intent) > 0);
    return c.html(html`<!doctype html><html lang="en"><meta charset="utf-8"><title>Pay</title><p>${words}</p>
      ${isOpen ? html`<form method="post"><button>Pay</button></form>` : ''}</html>`);
  });
  app.post('/c/pay/:id', (c) => {
    const { desk, session, intent } = holding(c);
    if (desk && session.status === 'open') submit(desk, session, {});
    else if (desk && intent) receiveTransfer(desk, intent);
    return c.redirect(session.payment_status === 'paid' ? session.success_url : c.req.path, 303);
  });
}

export type StripeControls = ReturnType<typeof createControls>;
export type Stripe = RunningFake<StripeControls>;

/** Create accounts with `control.createAccount`. */
export async function startStripe(options: FakeOptions = {}): Promise<Stripe> {
  return startFake<Account, StripeControls>('stripe', options, (kit) => {
    const accounts = () => Object.values(kit.state.accounts);
    const desk = (id: string) => deskOf(kit, find(accounts(), id, 'account'));
    const ownerOf = (key: string) => {
      const owner = accounts().find(({ keys }) => keys.some((known) => known.key === key));
      const found = owner?.keys.find((known) => known.key === key);
      return owner && found && { desk: deskOf(kit, owner), key: found };
    };
    const app = new Hono<FakeEnvironment>();
    addPages(app, () => accounts().map((account) => deskOf(kit, account)));
    const api = new Hono<StripeEnvironment>();
    api.onError((error) => {
      if (error instanceof StripeError) return error.toResponse();
      console.error('The fake of Stripe failed', error);
      return serverError(500).toResponse();
    });
    api.use(requireAccess(ownerOf), idempotency);
    for (const routes of [accountRoutes(), sessionRoutes(), returnRoutes(), webhookRoutes()])
      api.route('/', routes);
    api.all('*', (c) => {
      throw new StripeError(404, `Unrecognized request URL (${c.req.method}: ${c.req.path}).`);
    });
    app.route('/v1', api);
    const job =
      <T extends { id: string }>(items: (account: Account) => T[], run: (desk: Desk, item: T) => void) =>
      ({ account = '', id }: Record<string, string>) =>
        run(desk(account), find(items(desk(account).account), id, 'object'));
    return {
      app,
      controls: createControls(kit, desk),
      rules: webhookRules(accounts),
      jobs: {
        'sessions:expire': job(({ sessions }) => sessions, expireSession),
        'charges:enter': job(
          ({ charges }) => charges,
          (at, charge) => {
            if (charge.balance_transaction === null) enterAndTell(at, charge);
          },
        ),
        'debits:conclude': job(
          ({ intents }) => intents,
          (at, intent) => {
            // The outcome may have been set by a control.
            if (intent.status === 'processing') concludeDebit(at, intent, { outcome: 'succeed' });
          },
        ),
        'refunds:conclude': job(
          ({ refunds }) => refunds,
          (at, refund) => concludeRefund(at, refund, { outcome: 'succeeded' }),
        ),
      },
      accountOf: (headers) => ownerOf(keyOf(headers.get('authorization')))?.desk.account.id,
      rateLimited: () => rateLimited().toResponse(),
      serverError: (status) => serverError(status).toResponse(),
    };
  });
}
