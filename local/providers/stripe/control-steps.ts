/** The routes of `control-routes.ts` that act on an object. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { closeDispute, openDispute } from './disputes.ts';
import { missing, refused } from './errors.ts';
import { concludeDebit } from './pay-by-debit.ts';
import { receiveTransfer, remainingOf, returnCash } from './pay-by-transfer.ts';
import { chargeOf, enterCharge, intentOf } from './payments.ts';
import { arrive, failPayout } from './payouts.ts';
import { concludeRefund, makeRefund } from './refunds.ts';
import { find, render } from './render.ts';
import { newId, type StripeServices } from './services.ts';
import type { Account } from './state.ts';
import { sessionOf, submit } from './submit.ts';

const minor = z.int().positive();
const Payment = z.strictObject({
  method: z.string().optional(),
  number: z.string().optional(),
  name: z.string().optional(),
  email: z.string().optional(),
  authentication: z.enum(['pass', 'fail']).optional(),
});
const DebitEnd = z.strictObject({
  outcome: z.enum(['succeed', 'fail']),
  code: z.string().default('insufficient_funds'),
  message: z.string().default('The account has insufficient funds to cover this payment.'),
});
const Transfer = z.strictObject({ amount: minor.optional() });
const RefundOrder = z.strictObject({ amount: minor.optional(), reason: z.string().optional() });
const RefundEnd = z.strictObject({
  outcome: z.enum(['succeeded', 'failed']),
  reason: z.string().default('unknown'),
});
const DisputeOrder = z.strictObject({
  reason: z.string().default('fraudulent'),
  inquiry: z.boolean().default(false),
  amount: minor.optional(),
});
const DisputeEnd = z.strictObject({ outcome: z.enum(['won', 'lost']) });
const PayoutStep = z.strictObject({
  step: z.enum(['arrive', 'fail']),
  code: z.string().default('account_closed'),
  message: z.string().default('The bank account has been closed'),
});
const NewEntry = z.strictObject({
  type: z.string().default('stripe_fee'),
  reportingCategory: z.string().default('fee'),
  amount: z.int(),
  currency: z.string().optional(),
  description: z.string().default('Billing - Usage Fee'),
  availableOn: z.int().optional(),
});
const Failure = z.strictObject({
  path: z.string().startsWith('/').default('/v1/*'),
  times: z.int().positive().default(1),
  status: z.int().min(500).max(599).nullable().default(500),
  taken: z.boolean().default(false),
  delayMs: z.int().nonnegative().default(0),
});
const AnyEvent = z.strictObject({
  type: z.string(),
  id: z.string(),
  change: z.record(z.string(), z.unknown()).default({}),
});

/** Finds an object of a list by the id in the path. */
function one<T extends { id: string }>(c: Context, objects: readonly T[], what: string): T {
  const id = c.req.param('id') ?? '';
  const found = objects.find((object) => object.id === id);
  if (found === undefined) throw missing(what, id, 'id');
  return found;
}

export function addSteps(app: Hono, services: StripeServices, accountOf: (c: Context) => Account): void {
  const id = (c: Context): string => c.req.param('id') ?? '';
  const shown = (c: Context, object: object) => c.json(render(accountOf(c), services.now(), object));
  const at = (path: string) => `/accounts/:account/${path}`;

  app.post(at('sessions/:id/pay'), async (c) => {
    const session = sessionOf(accountOf(c), id(c));
    submit(services, accountOf(c), session, Payment.parse(await c.req.json()));
    return shown(c, session);
  });

  app.post(at('intents/:id/conclude'), async (c) => {
    const intent = intentOf(accountOf(c), id(c));
    const { outcome, code, message } = DebitEnd.parse(await c.req.json());
    concludeDebit(services, accountOf(c), intent, outcome === 'fail' ? { code, message } : undefined);
    return shown(c, intent);
  });
  app.post(at('intents/:id/transfer'), async (c) => {
    const intent = intentOf(accountOf(c), id(c));
    const { amount = remainingOf(intent) } = Transfer.parse(await c.req.json());
    receiveTransfer(services, accountOf(c), intent, amount);
    return shown(c, intent);
  });
  app.post(at('intents/:id/return'), async (c) => {
    const intent = intentOf(accountOf(c), id(c));
    returnCash(services, accountOf(c), intent, Transfer.parse(await c.req.json()).amount);
    return shown(c, intent);
  });

  app.post(at('charges/:id/enter'), (c) => {
    const charge = chargeOf(accountOf(c), id(c));
    if (charge.status === 'failed') throw refused('The charge failed.');
    enterCharge(services, accountOf(c), charge);
    services.emit(accountOf(c), 'charge.updated', charge, { balance_transaction: null });
    return shown(c, charge);
  });
  app.post(at('charges/:id/refund'), async (c) => {
    const order = RefundOrder.parse(await c.req.json());
    return shown(c, makeRefund(services, accountOf(c), chargeOf(accountOf(c), id(c)), order));
  });
  app.post(at('charges/:id/dispute'), async (c) => {
    const order = DisputeOrder.parse(await c.req.json());
    return shown(c, openDispute(services, accountOf(c), chargeOf(accountOf(c), id(c)), order));
  });

  app.post(at('refunds/:id/conclude'), async (c) => {
    const refund = one(c, accountOf(c).refunds, 'refund');
    const { outcome, reason } = RefundEnd.parse(await c.req.json());
    concludeRefund(services, accountOf(c), refund, outcome, reason);
    return shown(c, refund);
  });

  app.post(at('disputes/:id/close'), async (c) => {
    const dispute = one(c, accountOf(c).disputes, 'dispute');
    closeDispute(services, accountOf(c), dispute, DisputeEnd.parse(await c.req.json()).outcome);
    return shown(c, dispute);
  });

  app.post(at('payouts/:id'), async (c) => {
    const payout = one(c, accountOf(c).payouts, 'payout');
    const { step, code, message } = PayoutStep.parse(await c.req.json());
    if (step === 'arrive') arrive(services, accountOf(c), payout);
    else failPayout(services, accountOf(c), payout, code, message);
    return shown(c, payout);
  });

  app.post(at('transactions'), async (c) => {
    const account = accountOf(c);
    const { currency = account.defaultCurrency, availableOn, ...entry } = NewEntry.parse(await c.req.json());
    const more = availableOn === undefined ? {} : { availableOn };
    return shown(c, services.enter(account, { ...entry, ...more, currency, source: null }));
  });

  app.post(at('failures'), async (c) => {
    accountOf(c).failures.push(Failure.parse(await c.req.json()));
    return c.json(accountOf(c).failures);
  });

  app.post(at('events'), async (c) => {
    const account = accountOf(c);
    const { type, id: objectId, change } = AnyEvent.parse(await c.req.json());
    const object = find(account, objectId);
    if (object === undefined) throw missing('object', objectId, 'id');
    const event = {
      id: newId('evt'),
      object: 'event',
      api_version: account.apiVersion,
      created: services.now(),
      data: { object: { ...render(account, services.now(), object), ...change } },
      livemode: account.livemode,
      pending_webhooks: account.endpoints.length,
      request: { id: null, idempotency_key: null },
      type,
    } as const;
    account.events.push(event);
    const endpoints = account.endpoints.map((endpoint) => endpoint.id);
    const body = JSON.stringify(event, null, 2);
    services.kit.webhooks.publish({ id: event.id, name: type, account: account.id, body }, endpoints);
    return c.json(event);
  });
}
