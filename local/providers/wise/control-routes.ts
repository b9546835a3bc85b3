/**
 * Control routes of Wise, in addition to those of `../control-routes.ts`. Amounts are in major units of their currency, as in
 * the API.
 *
 * | route below `/_control` | what it does |
 * |---|---|
 * | `GET /public-key` | `{publicKey}`: PEM of the event signing key |
 * | `GET /accounts`, `POST /accounts` `{token?, personalName?, businessName?, balances?, options?}` | lists or creates accounts: `{id, token, profile, personalProfile}` |
 * | `GET /accounts/{a}?parts=` | the account's state, or only these members of it |
 * | `PATCH /accounts/{a}/options` | changes options of `options.ts` |
 * | `POST /accounts/{a}/tokens` `{token, enabled}` | adds, disables or enables a token |
 * | `PUT /accounts/{a}/sca-key` `{publicKey}` | uploads the key for signed one-time tokens; null removes it |
 * | `POST /accounts/{a}/top-up` `{currency, amount, profile?}` | adds money; opens the balance if missing |
 * | `POST /accounts/{a}/convert` `{from, to, amount, fee?}` | converts money between balances, as a user would |
 * | `POST /accounts/{a}/statement` `{currency, amount, description?}` | adds a statement entry that appears nowhere else |
 * | `POST /accounts/{a}/transfers/{id}` `{step, ...}` | changes the state of a transfer, see below |
 *
 * Steps of a transfer: `pay-in` `{method?}` (a user funds it on Wise's website, from the balance or by bank transfer), `next`
 * (the next regular state), `bounce` `{reason?}`, `refund` `{amount?}`, `chargeback`, `rollback` (by one state), `cancel` (by
 * Wise), `payout-failure` `{reason}` (only the event), `state` `{state}` (any text), `review` `{underReview}` (manual review
 * by Wise), `active-cases` `{cases}`.
 */
import { randomUUID } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { controlApp, selectRequestedMembers } from '../old/control-routes.ts';
import { addTransferControl } from './control-steps.ts';
import { convert, toMinorUnits } from './money.ts';
import { AccountOptions } from './options.ts';
import { rateOf } from './pricing.ts';
import { addMoney, openBalance, profileOf, type WiseServices } from './services.ts';
import type { Account, Profile } from './state.ts';

const NewAccount = z.strictObject({
  token: z.string().optional(),
  personalName: z.string().default('Ann Lee'),
  businessName: z.string().default('Placar Demo Ltd'),
  balances: z.record(z.string(), z.number().nonnegative()).default({}),
  options: z.unknown().optional(),
});
const Token = z.strictObject({ token: z.string(), enabled: z.boolean().default(true) });
const ScaKey = z.strictObject({ publicKey: z.string().nullable() });
const TopUp = z.strictObject({
  currency: z.string(),
  amount: z.number().positive(),
  profile: z.int().optional(),
});
const Conversion = z.strictObject({
  from: z.string(),
  to: z.string(),
  amount: z.number().positive(),
  fee: z.number().nonnegative().default(0),
});
const Line = z.strictObject({
  currency: z.string(),
  amount: z.number(),
  description: z.string().default('Adjustment'),
});

/** Converts an amount of a control route to minor units. */
function minorOf(currency: string, major: number): number {
  const minor = toMinorUnits(currency, major);
  if (minor === undefined) throw new SyntaxError(`${major} ${currency} has too many decimals`);
  return minor;
}

const businessOf = ({ profiles }: Account): Profile => {
  const profile = profiles.find(({ type }) => type === 'BUSINESS');
  if (profile === undefined) throw new Error('every account has a business profile');
  return profile;
};

export function createWiseControlRoutes(services: WiseServices): Hono {
  const app = controlApp();
  const { state } = services.kit;
  const accountOf = (c: Context): Account => services.accountOf(c.req.param('account') ?? '');

  app.get('/public-key', (c) => c.json({ publicKey: services.keys().publicKey }));
  app.get('/accounts', (c) =>
    c.json(Object.values(state.accounts).map(({ id, user, tokens }) => ({ id, user, tokens }))),
  );

  app.post('/accounts', async (c) => {
    const order = NewAccount.parse(await c.req.json());
    const profileNamed = (type: Profile['type'], name: string): Profile => ({
      id: services.newId('profile'),
      type,
      name,
      balances: [],
    });
    const personal = profileNamed('PERSONAL', order.personalName);
    const business = profileNamed('BUSINESS', order.businessName);
    const account: Account = {
      id: randomUUID(),
      user: services.newId('user'),
      tokens: [{ token: order.token ?? randomUUID(), enabled: true }],
      options: AccountOptions.parse(order.options ?? {}),
      profiles: [personal, business],
      quotes: [],
      recipients: [],
      transfers: [],
      subscriptions: [],
      sca: { publicKey: null, tokens: [], sessionUntilMs: 0 },
      window: { startedAtMs: 0, used: 0 },
    };
    state.accounts[account.id] = account;
    for (const [currency, amount] of Object.entries(order.balances)) {
      if (amount === 0) openBalance(services, business, currency);
      else addMoney(services, account, business, currency, minorOf(currency, amount));
    }
    const [{ token } = { token: '' }] = account.tokens;
    return c.json({ id: account.id, token, profile: business.id, personalProfile: personal.id });
  });

  app.get('/accounts/:account', (c) => c.json(selectRequestedMembers(c, accountOf(c))));

  app.patch('/accounts/:account/options', async (c) => {
    const account = accountOf(c);
    const change = z.record(z.string(), z.unknown()).parse(await c.req.json());
    const fees = { ...account.options.fees, ...z.record(z.string(), z.unknown()).parse(change.fees ?? {}) };
    account.options = AccountOptions.parse({ ...account.options, ...change, fees });
    return c.json(account.options);
  });

  app.post('/accounts/:account/tokens', async (c) => {
    const account = accountOf(c);
    const { token, enabled } = Token.parse(await c.req.json());
    account.tokens = [...account.tokens.filter((known) => known.token !== token), { token, enabled }];
    return c.json(account.tokens);
  });

  app.put('/accounts/:account/sca-key', async (c) => {
    const { sca } = accountOf(c);
    sca.publicKey = ScaKey.parse(await c.req.json()).publicKey;
    return c.json({});
  });

  app.post('/accounts/:account/top-up', async (c) => {
    const account = accountOf(c);
    const { currency, amount, profile } = TopUp.parse(await c.req.json());
    const owner = profile === undefined ? businessOf(account) : profileOf(account, profile);
    const { balance } = addMoney(services, account, owner, currency, minorOf(currency, amount));
    return c.json({ balanceId: balance.id });
  });

  app.post('/accounts/:account/convert', async (c) => {
    const account = accountOf(c);
    const { from, to, ...order } = Conversion.parse(await c.req.json());
    const profile = businessOf(account);
    const rate = rateOf(account.options, from, to) ?? 1;
    const fee = minorOf(from, order.fee);
    const minor = minorOf(from, order.amount);
    const target = convert({ currency: from, minor: minor - fee }, to, rate);
    const entry = {
      type: 'CONVERSION' as const,
      description: `Converted ${order.amount} ${from} to ${to}`,
      referenceNumber: `CONVERSION-${services.newId('payment')}`,
      exchange: { from: { currency: from, minor: minor - fee }, to: { currency: to, minor: target }, rate },
    };
    services.enter(account, profile, openBalance(services, profile, from), { ...entry, amount: -minor, fee });
    services.enter(account, profile, openBalance(services, profile, to), { ...entry, amount: target });
    return c.json({});
  });

  app.post('/accounts/:account/statement', async (c) => {
    const account = accountOf(c);
    const { currency, amount, description } = Line.parse(await c.req.json());
    const profile = businessOf(account);
    services.enter(account, profile, openBalance(services, profile, currency), {
      amount: minorOf(currency, amount),
      type: 'BALANCE_ADJUSTMENT',
      description,
      referenceNumber: `BALANCE_ADJUSTMENT-${services.newId('payment')}`,
    });
    return c.json({});
  });

  addTransferControl(app, services, accountOf);
  return app;
}
