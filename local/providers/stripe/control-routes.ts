/**
 * What tests order of the emulator, beside the routes of `../control-routes.ts`. Amounts are in minor units, as on the wire.
 *
 * | route below `/_control` | what it does |
 * |---|---|
 * | `GET /accounts`, `POST /accounts` `{name?, email?, country?, currency?, livemode?, apiKey?, apiVersion?, options?}` | lists, makes: `{id, apiKey}` |
 * | `GET /accounts/{a}?parts=` | what it holds: these members, else all |
 * | `PATCH /accounts/{a}/options` | changes options, those of `options.ts` |
 * | `POST /accounts/{a}/keys` `{apiKey, state?: good, expired, deleted; permissions?}` | adds a key or changes one; `permissions` of a restricted key: `{customers: 'read'}` |
 * | `POST /accounts/{a}/sessions/{id}/pay` `{method?, number?, name?, email?, authentication?: pass, fail}` | the payer submits the page; the vendor's test numbers decide what follows |
 * | `POST /accounts/{a}/intents/{id}/conclude` `{outcome: succeed, fail; code?, message?}` | the bank ends a debit that is processing |
 * | `POST /accounts/{a}/intents/{id}/transfer` `{amount?}` | money of a bank transfer arrives; what is open when absent |
 * | `POST /accounts/{a}/charges/{id}/enter` | the balance transaction comes now |
 * | `POST /accounts/{a}/charges/{id}/refund` `{amount?, reason?}` | in the dashboard |
 * | `POST /accounts/{a}/refunds/{id}/conclude` `{outcome: succeeded, failed; reason?}` | what the bank says to it, even late |
 * | `POST /accounts/{a}/charges/{id}/dispute` `{reason?, inquiry?, amount?}` | the cardholder, or the bank, takes it back |
 * | `POST /accounts/{a}/disputes/{id}/close` `{outcome: won, lost}` | how it ends |
 * | `POST /accounts/{a}/payouts/{id}` `{step: arrive, fail; code?, message?}` | what the bank does with a payout |
 * | `POST /accounts/{a}/transactions` `{type?, reportingCategory?, amount, currency?, description?, availableOn?}` | an entry of which no event tells, such as a fee |
 * | `POST /accounts/{a}/failures` `{path?, times?, status?: 5xx, null; taken?, delayMs?}` | the next POSTs fail inside, and their idempotency keys keep that; `delayMs` of real time keeps them under way |
 * | `POST /accounts/{a}/events` `{type, id, change?}` | an event of any name about an object, to every endpoint |
 */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { controlApp, partsAsked } from '../control-routes.ts';
import { addSteps } from './control-steps.ts';
import { isCurrency } from './currencies.ts';
import { type Desk, newId } from './desk.ts';
import { AccountOptions } from './options.ts';
import { planPayouts } from './payouts.ts';
import type { Account } from './state.ts';

const NewAccount = z.strictObject({
  name: z.string().default('Placar Demo'),
  email: z.email().default('finance@demo.example'),
  country: z.string().length(2).default('US'),
  /** EUR where the country is not the United States. */
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

export function createStripeControlRoutes(desk: Desk): Hono {
  const app = controlApp();
  const { state } = desk.kit;
  const accountOf = (c: Context): Account => desk.accountOf(c.req.param('account') ?? '');

  app.get('/accounts', (c) =>
    c.json(Object.values(state.accounts).map(({ id, name, keys }) => ({ id, name, keys }))),
  );

  app.post('/accounts', async (c) => {
    const { apiKey, options, currency, ...owner } = NewAccount.parse(await c.req.json());
    const key = apiKey ?? newId(owner.livemode ? 'sk_live' : 'sk_test', 99);
    const account: Account = {
      id: newId('acct', 16),
      created: desk.now(),
      keys: [{ key, state: 'good', permissions: {} }],
      ...owner,
      defaultCurrency: currency ?? (owner.country === 'US' ? 'usd' : 'eur'),
      options: AccountOptions.parse(options ?? {}),
      customers: [],
      deletedCustomers: [],
      sessions: [],
      sessionBackgrounds: {},
      intents: [],
      charges: [],
      chargeBackgrounds: {},
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
    planPayouts(desk, account);
    return c.json({ id: account.id, apiKey: key });
  });

  app.get('/accounts/:account', (c) => c.json(partsAsked(c, accountOf(c))));

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

  addSteps(app, desk, accountOf);
  return app;
}

/** Members of members are changed one by one. */
function merge(known: Record<string, unknown>, change: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...known };
  for (const [name, value] of Object.entries(change)) {
    const [inner, given] = [Members.safeParse(known[name]), Members.safeParse(value)];
    merged[name] = inner.success && given.success ? merge(inner.data, given.data) : value;
  }
  return merged;
}
