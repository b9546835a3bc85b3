/**
 * Control routes of Stripe, in addition to those of `../control-routes.ts`. Amounts are in minor units, as in the API.
 *
 * | route below `/_control` | what it does |
 * |---|---|
 * | `GET /accounts`, `POST /accounts` `{name?, email?, country?, currency?, livemode?, apiKey?, apiVersion?, options?}` | lists or creates accounts: `{id, apiKey}` |
 * | `GET /accounts/{a}?parts=` | the account's state, or only these members of it |
 * | `PATCH /accounts/{a}/options` | changes options of `options.ts` |
 * | `POST /accounts/{a}/keys` `{apiKey, state?: good, expired, deleted; permissions?}` | adds a key or changes one; `permissions` of a restricted key: `{customers: 'read'}` |
 * | `POST /accounts/{a}/sessions/{id}/pay` `{method?, number?, name?, email?, authentication?: pass, fail}` | submits the page as the payer; Stripe's test numbers determine the outcome |
 * | `POST /accounts/{a}/intents/{id}/conclude` `{outcome: succeed, fail; code?, message?}` | the bank concludes a debit that is processing |
 * | `POST /accounts/{a}/intents/{id}/transfer` `{amount?}` | a bank transfer arrives (default: the open amount) |
 * | `POST /accounts/{a}/intents/{id}/return` `{amount?}` | cash of the customer goes back to the customer's bank account (default: all of it) |
 * | `POST /accounts/{a}/charges/{id}/enter` | creates the balance transaction immediately |
 * | `POST /accounts/{a}/charges/{id}/refund` `{amount?, reason?}` | refunds in the dashboard |
 * | `POST /accounts/{a}/refunds/{id}/conclude` `{outcome: succeeded, failed; reason?}` | the bank concludes a refund, even late |
 * | `POST /accounts/{a}/charges/{id}/dispute` `{reason?, inquiry?, amount?}` | the cardholder or the bank disputes the charge |
 * | `POST /accounts/{a}/disputes/{id}/close` `{outcome: won, lost}` | closes a dispute |
 * | `POST /accounts/{a}/payouts/{id}` `{step: arrive, fail; code?, message?}` | the bank completes or rejects a payout |
 * | `POST /accounts/{a}/transactions` `{type?, reportingCategory?, amount, currency?, description?, availableOn?}` | adds a transaction without an event, such as a fee |
 * | `POST /accounts/{a}/failures` `{path?, times?, status?: 5xx, null; taken?, delayMs?}` | makes the next POSTs fail internally, with the result stored for their idempotency keys; `delayMs` of real time keeps them in flight |
 * | `POST /accounts/{a}/events` `{type, id, change?}` | sends an arbitrary event about an object to all endpoints |
 */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { controlApp, selectRequestedMembers } from '../old/control-routes.ts';
import { addSteps } from './control-steps.ts';
import { isCurrency } from './currencies.ts';
import { AccountOptions } from './options.ts';
import { planPayouts } from './payouts.ts';
import { newId, type StripeServices } from './services.ts';
import type { Account } from './state.ts';

const NewAccount = z.strictObject({
  name: z.string().default('Placar Demo'),
  email: z.email().default('finance@demo.example'),
  country: z.string().length(2).default('US'),
  /** Default: EUR outside the United States. */
  currency: z.string().toLowerCase().refine(isCurrency).optional(),
  livemode: z.boolean().default(false),
  apiKey: z.string().optional(),
  apiVersion: z.string().default('2026-09-30.endive'),
  options: z.unknown().optional(),
});
const Key = z.strictObject({
  apiKey: z.string(),
  state: z.enum(['good', 'expired', 'deleted']).default('good'),
  permissions: z.record(z.string(), z.enum(['none', 'read', 'write'])).default({}),
});
const Members = z.record(z.string(), z.unknown());

export function createStripeControlRoutes(services: StripeServices): Hono {
  const app = controlApp();
  const { state } = services.kit;
  const accountOf = (c: Context): Account => services.accountOf(c.req.param('account') ?? '');

  app.get('/accounts', (c) =>
    c.json(Object.values(state.accounts).map(({ id, name, keys }) => ({ id, name, keys }))),
  );

  app.post('/accounts', async (c) => {
    const { apiKey, options, currency, ...owner } = NewAccount.parse(await c.req.json());
    const key = apiKey ?? newId(owner.livemode ? 'sk_live' : 'sk_test', 99);
    const account: Account = {
      id: newId('acct', 16),
      created: services.now(),
      keys: [{ key, state: 'good', permissions: {} }],
      ...owner,
      defaultCurrency: currency ?? (owner.country === 'US' ? 'usd' : 'eur'),
      options: AccountOptions.parse(options ?? {}),
      customers: [],
      deletedCustomers: [],
      sessions: [],
      sessionInternals: {},
      intents: [],
      charges: [],
      chargeInternals: {},
      methods: [],
      transactions: [],
      payoutOf: {},
      refunds: [],
      disputes: [],
      payouts: [],
      endpoints: [],
      secrets: {},
      events: [],
      cashBalances: {},
      cashTransactions: [],
      idempotency: {},
      failures: [],
    };
    state.accounts[account.id] = account;
    planPayouts(services, account);
    return c.json({ id: account.id, apiKey: key });
  });

  app.get('/accounts/:account', (c) => c.json(selectRequestedMembers(c, accountOf(c))));

  app.patch('/accounts/:account/options', async (c) => {
    const account = accountOf(c);
    const change = Members.parse(await c.req.json());
    account.options = AccountOptions.parse(merge(account.options, change));
    return c.json(account.options);
  });

  app.post('/accounts/:account/keys', async (c) => {
    const account = accountOf(c);
    const { apiKey: key, state: keyState, permissions } = Key.parse(await c.req.json());
    account.keys = [
      ...account.keys.filter((known) => known.key !== key),
      { key, state: keyState, permissions },
    ];
    return c.json(account.keys);
  });

  addSteps(app, services, accountOf);
  return app;
}

/** Merges nested members one by one. */
function merge(known: Record<string, unknown>, change: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...known };
  for (const [name, value] of Object.entries(change)) {
    const [inner, given] = [Members.safeParse(known[name]), Members.safeParse(value)];
    merged[name] = inner.success && given.success ? merge(inner.data, given.data) : value;
  }
  return merged;
}
