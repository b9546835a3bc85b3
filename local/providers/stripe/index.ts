/**
 * The fake of Stripe's API v1: Checkout sessions in payment mode, refunds, disputes, balance and its transactions, customers' cash
 * balances, webhook endpoints and events. `control` acts as payers and banks.
 */
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import { type FakeEnvironment, type FakeOptions, type RunningFake, startFake } from '../../fakes/fake.ts';
import { idempotency, keyOf, requireAccess } from './access.ts';
import { receiveTransfer, remainingOf } from './bank-transfers.ts';
import { createControls, enterAndTell } from './controls.ts';
import { type Desk, deskOf, find } from './desk.ts';
import { rateLimited, StripeError, serverError } from './errors.ts';
import { concludeDebit } from './payments.ts';
import { answer, LIST, page, read, type StripeApp, type StripeEnvironment } from './requests.ts';
import { concludeRefund, returnRoutes } from './returns.ts';
import { expireSession, sessionRoutes } from './sessions.ts';
import type { Account } from './state.ts';
import { submit } from './submit.ts';
import { webhookRoutes, webhookRules } from './webhooks.ts';

export type { AccountOrder, OptionsOrder } from './controls.ts';

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

type StripeControls = ReturnType<typeof createControls>;
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
