/** `/v1/checkout/sessions`, `/v1/payment_intents` and `/v1/customers`: the orders that our adapter places, and how they end. */
import { Hono } from 'hono';
import { z } from 'zod';
import { moveCash } from './bank-transfers.ts';
import { type Desk, find, newId } from './desk.ts';
import { refused, StripeError } from './errors.ts';
import {
  answer,
  Email,
  LIST,
  listOf,
  Metadata,
  page,
  read,
  type StripeApp,
  Text,
  Url,
  Whole,
} from './requests.ts';
import { type Account, METHODS, type Method, type PaymentIntent, type Session } from './state.ts';

/** From Stripe's table of minimum amounts, and symbols for messages. Other currencies are not checked. */
const MIN_AMOUNTS: Record<string, number> = { usd: 50, eur: 50, gbp: 30, brl: 50 };
const SYMBOLS: Record<string, string> = { usd: '$', eur: '€', gbp: '£' };
const MAX_AMOUNT = 99_999_999;
const HALF_AN_HOUR_S = 30 * 60;
const DAY_S = 24 * 60 * 60;

const SESSION = {
  mode: z.literal('payment'),
  allowed_payment_method_types: listOf(z.enum(METHODS)).default(['card']),
  payment_method_options: z
    .strictObject({
      customer_balance: z.strictObject({
        funding_type: z.literal('bank_transfer'),
        bank_transfer: z.union([
          z.strictObject({ type: z.literal('us_bank_transfer') }),
          z.strictObject({
            type: z.literal('eu_bank_transfer'),
            // Countries whose bank accounts Stripe provides for transfers in euros.
            eu_bank_transfer: z.strictObject({ country: z.enum(['BE', 'DE', 'ES', 'FR', 'IE', 'NL']) }),
          }),
        ]),
      }),
    })
    .optional(),
  adaptive_pricing: z.strictObject({ enabled: z.literal('false') }).optional(),
  line_items: listOf(
    z.strictObject({
      quantity: z.literal('1'),
      price_data: z.strictObject({
        currency: z.string().regex(/^[a-z]{3}$/),
        unit_amount: Whole,
        product_data: z.strictObject({ name: z.string().min(1).max(250) }),
      }),
    }),
  ),
  customer: Text.optional(),
  customer_email: Email.optional(),
  client_reference_id: z.string().max(200).optional(),
  metadata: Metadata.default({}),
  payment_intent_data: z
    .strictObject({ description: z.string().max(1000), metadata: Metadata })
    .default({ description: '', metadata: {} }),
  success_url: Url,
  expires_at: Whole.optional(),
};
type SessionOrder = z.output<z.ZodObject<typeof SESSION>>;

const CURRENCIES: Record<Method, readonly string[] | undefined> = {
  card: undefined,
  us_bank_account: ['usd'],
  sepa_debit: ['eur'],
  customer_balance: ['usd', 'eur'],
};

/** Whether the account has the method enabled for this currency. */
function isPossible({ options: { capabilities } }: Account, method: Method, currency: string): boolean {
  const capability = {
    card: 'card_payments',
    us_bank_account: 'us_bank_account_ach_payments',
    sepa_debit: 'sepa_debit_payments',
    customer_balance: currency === 'usd' ? 'us_bank_transfer_payments' : 'sepa_bank_transfer_payments',
  } as const;
  const isActive = (capabilities[capability[method]] ?? 'active') === 'active';
  return isActive && (CURRENCIES[method]?.includes(currency) ?? true);
}

/** Rejects invalid combinations of parameters. Returns the possible payment methods. */
function checkOrder({ account, now }: Desk, order: SessionOrder, currency: string, total: number): Method[] {
  if (order.customer !== undefined) find(account.customers, order.customer, 'customer', 'customer');
  const methods = order.allowed_payment_method_types.filter((one) => isPossible(account, one, currency));
  if (methods.length === 0) throw refused('No valid payment method types for this Checkout Session.');
  if (methods.includes('customer_balance') && !(order.customer && order.payment_method_options))
    throw refused('A customer must be provided when using customer_balance.', { param: 'customer' });
  const min = MIN_AMOUNTS[currency] ?? 1;
  const inWords = `${SYMBOLS[currency] ?? ''}${(min / 100).toFixed(2)} ${currency}`;
  if (total < min)
    throw refused(`The Checkout Session's total amount due must add up to at least ${inWords}`, {
      code: 'amount_too_small',
    });
  if (total > MAX_AMOUNT)
    throw refused('The amount must be no more than 999,999.99', { code: 'amount_too_large' });
  const lasts = (order.expires_at ?? now() + DAY_S) - now();
  if (lasts < HALF_AN_HOUR_S || lasts > DAY_S)
    throw refused('The `expires_at` timestamp must be 30 minutes to 24 hours from creation.', {
      param: 'expires_at',
    });
  return methods;
}

function createSession(desk: Desk, order: SessionOrder): Session {
  const { account, now } = desk;
  const [first] = order.line_items;
  if (first === undefined || order.line_items.length > 1)
    throw new StripeError(400, 'Missing required param: line_items.', { param: 'line_items' });
  const { currency, unit_amount: total } = first.price_data;
  const methods = checkOrder(desk, order, currency, total);
  const id = newId('cs_test', 58);
  const session: Session = {
    id,
    object: 'checkout.session',
    created: now(),
    amount_total: total,
    client_reference_id: order.client_reference_id ?? null,
    currency,
    customer: order.customer ?? null,
    customer_email: order.customer_email ?? null,
    expires_at: order.expires_at ?? now() + DAY_S,
    metadata: order.metadata,
    mode: 'payment',
    // Created when the payer submits the page.
    payment_intent: null,
    payment_method_options: order.payment_method_options ?? {},
    payment_method_types: methods,
    payment_status: 'unpaid',
    status: 'open',
    success_url: order.success_url,
    url: `${desk.kit.url}/c/pay/${id}`,
  };
  account.sessions.push(session);
  account.intentData[id] = order.payment_intent_data;
  desk.later('sessions:expire', (session.expires_at - now()) * 1000, id);
  return session;
}

export function expireSession(desk: Desk, session: Session): void {
  if (session.status !== 'open') return;
  session.status = 'expired';
  session.url = null;
  const intent = desk.account.intents.find(({ id }) => id === session.payment_intent);
  if (intent !== undefined) cancelIntent(desk, intent, 'expired');
  desk.emit('checkout.session.expired', session);
}

/** Partial payments go back to the customer's cash balance. */
function cancelIntent(desk: Desk, intent: PaymentIntent, reason: string | null): void {
  const applied = desk.account.cashTransactions
    .filter((one) => one.applied_to_payment?.payment_intent === intent.id)
    .reduce((sum, one) => sum - one.net_amount, 0);
  if (applied > 0) moveCash(desk, intent, 'unapplied_from_payment', applied);
  Object.assign(intent, { status: 'canceled', cancellation_reason: reason, next_action: null });
  intent.canceled_at = desk.now();
  desk.emit('payment_intent.canceled', intent);
}

function cancelByRequest(desk: Desk, intent: PaymentIntent): void {
  const code = 'payment_intent_unexpected_state';
  if (intent.status === 'succeeded' || intent.status === 'canceled')
    throw refused(`You cannot cancel this PaymentIntent because it has a status of ${intent.status}.`, {
      code,
    });
  const session = desk.account.sessions.find((one) => one.payment_intent === intent.id);
  const waits = session?.status === 'complete' && intent.status === 'requires_action';
  if (session === undefined || !waits || !desk.account.options.cancelCompletedIntents)
    throw refused(
      'You cannot cancel the PaymentIntent for a Checkout Session. Expire the Checkout Session instead.',
      { code },
    );
  cancelIntent(desk, intent, null);
  desk.emit('checkout.session.async_payment_failed', session);
}

export function sessionRoutes(): StripeApp {
  const app: StripeApp = new Hono();
  app.post('/checkout/sessions', (c) => answer(c, createSession(c.get('desk'), read(c, SESSION))));
  app.get('/checkout/sessions', (c) => {
    const filters = { ...LIST, customer: Text.optional(), payment_intent: Text.optional() };
    const { customer, payment_intent: intent, ...paging } = read(c, filters);
    const found = c
      .get('desk')
      .account.sessions.filter(
        (one) =>
          (customer ?? one.customer) === one.customer &&
          (intent ?? one.payment_intent) === one.payment_intent,
      );
    return page(c, found, paging);
  });
  app.get('/checkout/sessions/:id', (c) => {
    read(c, {});
    return answer(c, find(c.get('desk').account.sessions, c.req.param('id'), 'checkout.session'));
  });
  app.post('/checkout/sessions/:id/expire', (c) => {
    const session = find(c.get('desk').account.sessions, c.req.param('id'), 'checkout.session');
    if (session.status !== 'open')
      throw refused(
        `Only Checkout Sessions with a status of \`open\` can be expired, not ${session.status}.`,
      );
    expireSession(c.get('desk'), session);
    return answer(c, session);
  });
  app.post('/payment_intents/:id/cancel', (c) => {
    read(c, {});
    const intent = find(c.get('desk').account.intents, c.req.param('id'), 'payment_intent');
    cancelByRequest(c.get('desk'), intent);
    return answer(c, intent);
  });
  app.post('/customers', (c) => {
    const { account, now } = c.get('desk');
    const order = read(c, { name: z.string().max(256), email: Email, metadata: Metadata });
    const { name, email, metadata } = order;
    account.customers.push({
      id: newId('cus', 14),
      object: 'customer',
      created: now(),
      name,
      email,
      metadata,
    });
    return answer(c, account.customers.at(-1) ?? {});
  });
  app.get('/customers/:id/cash_balance_transactions', (c) => {
    const { account } = c.get('desk');
    const { id } = find(account.customers, c.req.param('id'), 'customer');
    const found = account.cashTransactions.filter((one) => one.customer === id);
    return page(c, found, read(c, LIST));
  });
  return app;
}
