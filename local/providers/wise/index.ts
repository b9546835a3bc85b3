/**
 * The fake of the Wise Platform API of 2026Q3: profiles, balances and statements, quotes, forms, recipients, transfers and their
 * funding, and webhooks. `control` acts as banks and people.
 */
import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import {
  type FakeEnvironment,
  type FakeKit,
  type FakeOptions,
  partsOf,
  type RunningFake,
  startFake,
} from '../../fakes/fake.ts';
import { VendorError } from '../../fakes/vendor-error.ts';
import {
  amountOf,
  type Desk,
  deskOf,
  find,
  rateOf,
  refusal,
  renderAmount,
  systemError,
  timeText,
  toMinor,
  traceId,
} from './desk.ts';
import { quoteRoutes } from './quotes.ts';
import { recipientRoutes } from './recipients.ts';
import { deskIn, readQuery, requireSca, type WiseApp, type WiseEnvironment } from './requests.ts';
import { type Account, type AccountOptions, DEFAULT_OPTIONS, type PayIn, type Profile } from './state.ts';
import { bounce, enterState, NEXT, refund, stateOf, step, takePayment } from './transfer-life.ts';
import { newPayment, transferRoutes } from './transfers.ts';
import { keysOf, subscriptionRoutes, webhookRules } from './webhooks.ts';

export interface AccountOrder {
  /** By currency, in units of it. */
  balances?: Record<string, number>;
  options?: Partial<AccountOptions>;
}

/** What people and banks do with a transfer. */
export type TransferStep =
  | { step: 'next' | 'bounce' | 'cancel' | 'chargeback' }
  | { step: 'pay-in'; method: PayIn }
  /** The amount is in units of the source currency. Default: all of it. */
  | { step: 'refund'; amount?: number }
  | { step: 'state'; state: string };

function createControls(kit: FakeKit<Account>, desk: (id: string) => Desk) {
  /** Adds money from outside. `amount` in units of the currency. */
  function topUp(id: string, { currency, amount }: { currency: string; amount: number }): void {
    const { enter, newId } = desk(id);
    const referenceNumber = `TRANSFER-${newId('transfer')}`;
    const entry = { type: 'MONEY_ADDED', description: 'Topped up account', referenceNumber } as const;
    enter(currency, { ...entry, amount: toMinor(currency, amount) });
  }
  return {
    topUp,
    createAccount({ balances = {}, options }: AccountOrder = {}) {
      const profile = (type: Profile['type'], name: string): Profile => ({
        ...{ id: 30_000_000 + kit.nextNumber(), type, name, balances: [] },
      });
      const account: Account = {
        id: randomUUID(),
        tokens: [{ token: randomUUID(), enabled: true }],
        options: { ...DEFAULT_OPTIONS, ...options },
        profiles: [profile('PERSONAL', 'Ann Lee'), profile('BUSINESS', 'Demo')],
        ...{ quotes: [], recipients: [], transfers: [], subscriptions: [] },
      };
      kit.state.accounts[account.id] = account;
      for (const [currency, amount] of Object.entries(balances)) {
        desk(account.id).balance(currency);
        if (amount > 0) topUp(account.id, { currency, amount });
      }
      const [{ token } = { token: '' }] = account.tokens;
      return { id: account.id, token, profile: account.profiles[1].id };
    },
    /** The state of an account, or only these members of it. Amounts are in minor units. */
    account: (id: string, ...parts: (keyof Account)[]) => partsOf(desk(id).account, parts),
    /** Adds, disables or enables a token. */
    token(id: string, token: string, { enabled }: { enabled: boolean }) {
      const { account } = desk(id);
      account.tokens = [...account.tokens.filter((known) => known.token !== token), { token, enabled }];
    },
    /** Converts money between balances. Amounts in units of the first currency. */
    convert(id: string, order: { from: string; to: string; amount: number; fee?: number }) {
      const { from, to, amount, fee = 0 } = order;
      const { enter } = desk(id);
      const entry = { type: 'CONVERSION', description: `Converted ${amount} ${from} to ${to}` } as const;
      const referenceNumber = `CONVERSION-${kit.nextNumber()}`;
      const received = (amount - fee) * (rateOf(from, to) ?? 1);
      enter(from, { ...entry, referenceNumber, amount: -toMinor(from, amount) });
      enter(to, { ...entry, referenceNumber, amount: toMinor(to, received) });
    },
    /** Adds a statement entry. `amount` in units of the currency. */
    statement(id: string, order: { currency: string; amount: number; description?: string }) {
      const { currency, amount, description = 'Adjustment' } = order;
      const referenceNumber = `BALANCE_ADJUSTMENT-${kit.nextNumber()}`;
      const entry = { type: 'BALANCE_ADJUSTMENT', description, referenceNumber } as const;
      desk(id).enter(currency, { ...entry, amount: toMinor(currency, amount) });
    },
    transfer(id: string, transferId: number, order: TransferStep) {
      const at = desk(id);
      const transfer = find(at.account.transfers, transferId, 'transfer');
      const { sourceCurrency } = transfer;
      if (order.step === 'pay-in') takePayment(at, transfer, newPayment(at, transfer, order.method));
      else if (order.step === 'bounce') bounce(at, transfer);
      else if (order.step === 'refund')
        refund(at, transfer, order.amount === undefined ? undefined : toMinor(sourceCurrency, order.amount));
      else {
        const states = { next: NEXT[stateOf(transfer)], cancel: 'cancelled', chargeback: 'charged_back' };
        const state = order.step === 'state' ? order.state : states[order.step];
        if (!state) throw refusal(422, 'transfer.invalid-state', 'The transfer has no next state.');
        enterState(at, transfer, state);
      }
    },
  };
}

const DAY_MS = 24 * 60 * 60_000;
const MAX_STATEMENT_DAYS = 469;

function accountRoutes(): WiseApp {
  const app: WiseApp = new Hono();
  app.get('/profiles', (c) =>
    c.json(
      c.get('desk').account.profiles.map(({ id, type, name }) => ({
        ...{ id, type, fullName: name },
        ...(type === 'BUSINESS' && { businessName: name }),
      })),
    ),
  );
  app.get('/profiles/:profile/balances', (c) => {
    if (readQuery(c, 'types').types !== 'STANDARD')
      throw refusal(400, 'BAD_REQUEST', 'types must be STANDARD', 'types');
    return c.json(
      deskIn(c).business.balances.map((balance) => ({
        ...{ id: balance.id, currency: balance.currency, type: 'STANDARD' },
        amount: renderAmount(balance.currency, amountOf(balance)),
      })),
    );
  });
  app.get('/profiles/:profile/balance-statements/:balance/statement.json', (c) => {
    const desk = deskIn(c);
    const { statements } = desk.account.options;
    if (statements === 'forbidden') throw systemError(403, 'You are forbidden to send this request');
    requireSca(desk);
    const { currency, entries } = find(desk.business.balances, c.req.param('balance'), 'balance');
    const query = readQuery(c, 'currency intervalStart intervalEnd type');
    const [from, until] = [query.intervalStart, query.intervalEnd].map((text) => Date.parse(text ?? ''));
    const isPossible = from !== undefined && until !== undefined && until >= from;
    if (!isPossible || until - from > MAX_STATEMENT_DAYS * DAY_MS || query.currency !== currency)
      throw refusal(400, 'BAD_REQUEST', 'The interval or the currency is invalid', 'intervalEnd');
    const found = entries.filter(({ atMs }) => atMs >= from && atMs <= until).reverse();
    const transactions = found.map(({ amount, atMs, type, description, referenceNumber }) => ({
      type: amount < 0 ? 'DEBIT' : 'CREDIT',
      date: timeText(atMs),
      amount: { ...renderAmount(currency, amount), zero: amount === 0 },
      details: { type, description },
      referenceNumber,
    }));
    return c.json({
      transactions,
      endOfStatementBalance: renderAmount(currency, entries.at(-1)?.running ?? 0),
    });
  });
  return app;
}

type WiseControls = ReturnType<typeof createControls>;

export interface Wise extends RunningFake<WiseControls> {
  /** PEM of the event signing key. */
  publicKey: string;
}

/** `url` has no version. Create accounts with `control.createAccount`. */
export async function startWise(options: FakeOptions = {}): Promise<Wise> {
  let publicKey = '';
  const running = await startFake<Account, WiseControls>('wise', options, (kit) => {
    publicKey = keysOf(kit).publicKey;
    const accounts = () => Object.values(kit.state.accounts);
    const desk = (id: string) => deskOf(kit, find(accounts(), id, 'account'));
    const ownerOf = (headers: Headers) => {
      const token = /^Bearer (\S+)$/.exec(headers.get('authorization') ?? '')?.[1];
      return accounts().find(({ tokens }) => tokens.some((one) => one.enabled && one.token === token));
    };
    const app = new Hono<FakeEnvironment>();
    const api = new Hono<WiseEnvironment>();
    api.use(async (c, next) => {
      const owner = ownerOf(c.req.raw.headers);
      // Wise's own examples return the token: logging this response leaks the key.
      const token = c.req.header('authorization')?.replace(/^Bearer /, '');
      if (owner === undefined)
        throw new VendorError(401, { error: 'invalid_token', error_description: token });
      c.set('desk', deskOf(kit, owner));
      await next();
      c.res.headers.set('x-trace-id', traceId());
    });
    for (const routes of [
      accountRoutes(),
      quoteRoutes(),
      recipientRoutes(),
      transferRoutes(),
      subscriptionRoutes(),
    ])
      api.route('/', routes);
    app.route('/2026Q3', api);
    app.notFound(() => systemError(404, 'No message available').toResponse());
    const tooMany = { error: 'too_many_requests', error_description: 'Rate limit exceeded' };
    return {
      app,
      controls: createControls(kit, desk),
      rules: webhookRules(kit),
      jobs: {
        'transfers:step': ({ account = '', id, number = '', to = '' }) =>
          step(desk(account), find(desk(account).account.transfers, id, 'transfer'), number, to),
      },
      accountOf: (headers) => ownerOf(headers)?.id,
      rateLimited: () => Response.json(tooMany, { status: 429, headers: { 'retry-after': '30' } }),
      serverError: (status) => systemError(status, 'No message available').toResponse(),
    };
  });
  return { ...running, publicKey };
}
