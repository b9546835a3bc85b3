/**
 * Control routes of Asaas, in addition to those of `../control-routes.ts`. Amounts are in reais, as in the API.
 *
 * | route below `/_control` | what it does |
 * |---|---|
 * | `GET /accounts`, `POST /accounts` `{name?, cpfCnpj?, email?, city?, apiKey?, balance?, options?}` | lists or creates accounts: `{id, apiKey}` |
 * | `GET /accounts/{a}?parts=` | the account's state, or only these members of it |
 * | `PATCH /accounts/{a}/options` | changes options of `options.ts` |
 * | `POST /accounts/{a}/keys` `{apiKey, enabled}` | adds, disables or enables a key |
 * | `PUT /accounts/{a}/withdrawal-validation` `{url, authToken?}` | registers the withdrawal validation URL; `DELETE` removes it |
 * | `POST /accounts/{a}/payments/{id}/pay` `{value?, billingType?, on?}` | pays as the payer: PIX, BOLETO or CREDIT_CARD; what is due on the day `on`, or less or more |
 * | `.../pay-again` `{as?}` | pays a second time: `new_payment` (default) or `credit` |
 * | `.../refuse-card`, `.../risk` `{step: analyse, approve, reprove}` | other outcomes of the hosted page |
 * | `.../receive-in-cash`, `.../delete`, `.../restore` | actions of the merchant in the panel |
 * | `.../overdue`, `.../dunning` `{step: request, receive}` | overdue, collection agency |
 * | `.../refund` `{value?}`, `.../refund/{outcome: done, denied}` | refunds in the panel, including boletos; concludes a refund in progress |
 * | `.../refund-page` | the payer of a boleto enters a bank account |
 * | `.../infraction-lost` `{stated?, listed?}` | the payment is refunded because of a Pix infraction |
 * | `.../chargeback` `{step: request, dispute, won, reversed, lost, reason?, value?}` | the cardholder's dispute |
 * | `POST /accounts/{a}/transfers/{id}` `{step: authorize, done, fail, block, cancel, return, reason?, value?, show?, fee?}` | changes the state of a transfer |
 * | `POST /accounts/{a}/invoices/{id}` `{step: issue, error, canceled, denied, message?}` | response of the municipality |
 * | `POST /accounts/{a}/events` `{event, subject: payment, transfer, invoice, id, change?}` | sends an arbitrary event to all webhooks |
 * | `POST /accounts/{a}/balance` `{step: block, unblock, value, type?, description?, payment?, lineNames?, notified?, stated?}` | blocks of the balance: `payment` names the charge, `notified: false` sends no event, `stated: false` adds no line |
 * | `POST /accounts/{a}/statement` `{type, value, description?}` | adds an entry without an event, such as a fee |
 */
import { randomUUID } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { controlApp, selectRequestedMembers } from '../control-routes.ts';
import { DIGITS, LOWERCASE, randomText } from '../random.ts';
import { type Environment, KEY_PREFIXES } from './access.ts';
import { newPixKey } from './account-routes.ts';
import {
  addEventControl,
  addInvoiceControl,
  addPaymentControl,
  addTransferControl,
} from './control-steps.ts';
import { fiscalInfoOf } from './fiscal.ts';
import { AccountOptions } from './options.ts';
import { Reais } from './requests.ts';
import type { AsaasServices } from './services.ts';
import type { Account } from './state.ts';

const NewAccount = z.strictObject({
  name: z.string().default('Placar Demonstracao'),
  cpfCnpj: z.string().default('11222333000181'),
  email: z.email().default('financeiro@demo.example'),
  city: z.string().default('Sao Paulo'),
  apiKey: z.string().optional(),
  /** Initial balance. */
  balance: Reais.default(0),
  options: z.unknown().optional(),
});
const Key = z.strictObject({ apiKey: z.string(), enabled: z.boolean().default(true) });
const Validation = z.strictObject({ url: z.url(), authToken: z.string().nullable().default(null) });
const Entry = z.strictObject({
  type: z.string(),
  value: Reais,
  description: z.string().default('Lançamento'),
});
const Block = z.strictObject({
  step: z.enum(['block', 'unblock']),
  value: Reais,
  type: z.enum(['JUDICIAL', 'PIX_INFRACTION', 'ADMINISTRATIVE', 'CONTRACTUAL_EFFECT']).default('JUDICIAL'),
  description: z.string().default('Bloqueio judicial'),
  payment: z.string().optional(),
  lineNames: z.boolean().default(false),
  notified: z.boolean().default(true),
  stated: z.boolean().default(true),
});

/** Statement types of a block and its end. */
const BLOCK_ENTRIES = {
  JUDICIAL: { block: 'BACEN_JUDICIAL_LOCK', unblock: 'BACEN_JUDICIAL_UNLOCK' },
  PIX_INFRACTION: { block: 'DEBIT', unblock: 'DEBIT_REVERSAL' },
  ADMINISTRATIVE: { block: 'DEBIT', unblock: 'DEBIT_REVERSAL' },
  CONTRACTUAL_EFFECT: {
    block: 'CONTRACTUAL_EFFECT_SETTLEMENT',
    unblock: 'CONTRACTUAL_EFFECT_SETTLEMENT_REVERSAL',
  },
};

export function createAsaasControlRoutes(services: AsaasServices, environment: Environment): Hono {
  const app = controlApp();
  const { state } = services.kit;
  const accountOf = (c: Context): Account => services.accountOf(c.req.param('account') ?? '');

  app.get('/accounts', (c) =>
    c.json(Object.values(state.accounts).map(({ id, name, apiKeys }) => ({ id, name, apiKeys }))),
  );

  app.post('/accounts', async (c) => {
    const { balance, apiKey, options, ...owner } = NewAccount.parse(await c.req.json());
    const key = apiKey ?? `${KEY_PREFIXES[environment]}${randomText(LOWERCASE + DIGITS, 48)}`;
    const parsed = AccountOptions.parse(options ?? {});
    const account: Account = {
      id: randomUUID(),
      walletId: randomUUID(),
      apiKeys: [{ key, enabled: true }],
      ...owner,
      options: parsed,
      customers: [],
      payments: [],
      transfers: [],
      invoices: [],
      webhooks: [],
      pixKeys: parsed.pixKey ? [newPixKey(services)] : [],
      statement: [],
      fiscalInfo: parsed.fiscalInfo ? fiscalInfoOf(owner.email, parsed) : null,
      withdrawalValidation: null,
      quota: { startedAtMs: 0, used: 0 },
    };
    state.accounts[account.id] = account;
    services.enter(account, { type: 'CREDIT', value: balance, description: 'Saldo inicial' });
    return c.json({ id: account.id, apiKey: key });
  });

  app.get('/accounts/:account', (c) => c.json(selectRequestedMembers(c, accountOf(c))));

  app.patch('/accounts/:account/options', async (c) => {
    const account = accountOf(c);
    const change = z.record(z.string(), z.unknown()).parse(await c.req.json());
    const fees = { ...account.options.fees, ...z.record(z.string(), z.unknown()).parse(change.fees ?? {}) };
    account.options = AccountOptions.parse({ ...account.options, ...change, fees });
    return c.json(account.options);
  });

  app.post('/accounts/:account/keys', async (c) => {
    const account = accountOf(c);
    const { apiKey: key, enabled } = Key.parse(await c.req.json());
    account.apiKeys = [...account.apiKeys.filter((known) => known.key !== key), { key, enabled }];
    return c.json(account.apiKeys);
  });

  app.put('/accounts/:account/withdrawal-validation', async (c) => {
    const account = accountOf(c);
    account.withdrawalValidation = Validation.parse(await c.req.json());
    return c.json(account.withdrawalValidation);
  });
  app.delete('/accounts/:account/withdrawal-validation', (c) => {
    accountOf(c).withdrawalValidation = null;
    return c.json({});
  });

  app.post('/accounts/:account/balance', async (c) => {
    const account = accountOf(c);
    const { step, value, type, description, payment, lineNames, notified, stated } = Block.parse(
      await c.req.json(),
    );
    const signed = step === 'block' ? -value : value;
    const named = lineNames && payment !== undefined ? { paymentId: payment } : {};
    const paid = account.payments.find(({ id }) => id === payment);
    if (stated && paid !== undefined) paid.blocked = Math.max(0, paid.blocked - signed);
    if (stated)
      services.enter(account, { type: BLOCK_ENTRIES[type][step], value: signed, description, ...named });
    const event = step === 'block' ? 'BALANCE_VALUE_BLOCKED' : 'BALANCE_VALUE_UNBLOCKED';
    const change = { value: value / 100, date: services.today(), description, type };
    const about = payment === undefined ? change : { ...change, paymentId: payment };
    if (notified) services.emit(account, event, account.options.balanceMember, about);
    return c.json({ balance: services.balanceOf(account) / 100 });
  });

  app.post('/accounts/:account/statement', async (c) => {
    const account = accountOf(c);
    services.enter(account, Entry.parse(await c.req.json()));
    return c.json({ balance: services.balanceOf(account) / 100 });
  });

  addPaymentControl(app, services, accountOf);
  addTransferControl(app, services, accountOf);
  addInvoiceControl(app, services, accountOf);
  addEventControl(app, services, accountOf);
  return app;
}
