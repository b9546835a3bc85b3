/** Validates the combined parameters of a Checkout session, and renders its line items. */
import { inWords, MAX_AMOUNT, minAmount } from './currencies.ts';
import { customerOf } from './customers.ts';
import { refused, StripeError } from './errors.ts';
import { isPossible, requireMethod } from './methods.ts';
import type { Method } from './options.ts';
import { newId, type StripeServices } from './services.ts';
import type { SessionOrder } from './session-params.ts';
import type { Account, BankTransfer } from './state.ts';

const HALF_AN_HOUR_S = 30 * 60;
const DAY_S = 24 * 60 * 60;

/** The first API version with `allowed_payment_method_types` instead of `payment_method_types`. */
const ALLOWED_SINCE = '2026-09-30';

export interface CheckedOrder {
  currency: string;
  methods: Method[];
  total: number;
  expiresAt: number;
  bankTransfer: BankTransfer | null;
}

/** Rejects invalid combinations of parameters. */
export function checkOrder(
  services: StripeServices,
  account: Account,
  order: SessionOrder,
  version: string,
): CheckedOrder {
  if (!account.options.chargesEnabled) {
    throw refused(
      'Your account cannot currently make live charges. Check the account status in your Dashboard.',
    );
  }
  if (order.customer !== undefined && order.customer_email !== undefined) {
    throw refused('You may only specify one of these parameters: customer, customer_email.');
  }
  if (order.customer !== undefined) customerOf(account, order.customer);
  const [first] = order.line_items;
  if (first === undefined) {
    throw new StripeError(400, 'Missing required param: line_items.', {
      code: 'parameter_missing',
      param: 'line_items',
    });
  }
  const { currency } = first.price_data;
  if (order.line_items.some((item) => item.price_data.currency !== currency)) {
    throw refused('All line items must have the same currency.', { param: 'line_items' });
  }
  for (const [index, { price_data: price }] of order.line_items.entries()) {
    if (price.unit_amount < 0) {
      const param = `line_items[${index}][price_data][unit_amount]`;
      throw refused('Invalid non-negative integer', { code: 'parameter_invalid_integer', param });
    }
  }
  const total = order.line_items.reduce((sum, item) => sum + item.price_data.unit_amount * item.quantity, 0);
  const methods = methodsOf(account, order, currency, version);
  requireAmount(account, currency, total);
  const expiresAt = order.expires_at ?? services.now() + DAY_S;
  requireExpiry(services, expiresAt);
  const bankTransfer = methods.includes('customer_balance') ? transferOf(order, currency) : null;
  return { currency, methods, total, expiresAt, bankTransfer };
}

/** The requested payment methods, or those of the allowed methods that are possible for the account and currency. */
function methodsOf(account: Account, order: SessionOrder, currency: string, version: string): Method[] {
  const { payment_method_types: named, allowed_payment_method_types: allowed } = order;
  const [unknown, param] =
    version < ALLOWED_SINCE ? [allowed, 'allowed_payment_method_types'] : [named, 'payment_method_types'];
  if (unknown !== undefined) {
    const code = version < ALLOWED_SINCE ? 'parameter_unknown' : 'payment_method_types_no_longer_supported';
    throw new StripeError(400, `Received unknown parameter: ${param}`, { code, param });
  }
  if (named !== undefined) {
    for (const [index, method] of named.entries()) requireMethod(account, method, currency, index);
    return named;
  }
  const left = (allowed ?? (['card'] as const)).filter((method) => isPossible(account, method, currency));
  if (left.length > 0) return left;
  throw refused(
    'No valid payment method types for this Checkout Session. Please ensure that you have activated payment methods ' +
      'compatible with your chosen currency in your dashboard (https://dashboard.stripe.com/settings/payment_methods).',
  );
}

function requireAmount(account: Account, currency: string, total: number): void {
  const min = minAmount(currency, account.options.minAmounts);
  if (total > 0 && total < min) {
    throw refused(
      `The Checkout Session's total amount due must add up to at least ${inWords(min, currency)}`,
      { code: 'amount_too_small' },
    );
  }
  if (total > MAX_AMOUNT) {
    throw refused(
      `The Checkout Session's total amount due must be no more than ${inWords(MAX_AMOUNT, currency)}`,
      { code: 'amount_too_large' },
    );
  }
}

function requireExpiry(services: StripeServices, expiresAt: number): void {
  const param = 'expires_at';
  if (expiresAt < services.now() + HALF_AN_HOUR_S) {
    throw refused('The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.', {
      param,
    });
  }
  if (expiresAt > services.now() + DAY_S) {
    throw refused('The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.', {
      param,
    });
  }
}

function transferOf(order: SessionOrder, currency: string): BankTransfer {
  const options = order.payment_method_options?.customer_balance;
  const root = 'payment_method_options[customer_balance]';
  if (order.customer === undefined) {
    throw refused('A customer must be provided when using customer_balance.', {
      code: 'parameter_missing',
      param: 'customer',
    });
  }
  if (options?.funding_type === undefined) throw absent(`${root}[funding_type]`);
  const transfer = options.bank_transfer;
  if (transfer === undefined) throw absent(`${root}[bank_transfer][type]`);
  if ((transfer.type === 'us_bank_transfer') !== (currency === 'usd')) {
    throw refused(`The bank transfer type ${transfer.type} cannot be used with the currency ${currency}.`, {
      param: `${root}[bank_transfer][type]`,
    });
  }
  if (transfer.type === 'us_bank_transfer') return { type: 'us_bank_transfer' };
  const country = transfer.eu_bank_transfer?.country;
  if (country === undefined) throw absent(`${root}[bank_transfer][eu_bank_transfer][country]`);
  return { type: 'eu_bank_transfer', country };
}

const absent = (param: string): StripeError =>
  new StripeError(400, `Missing required param: ${param}.`, { code: 'parameter_missing', param });

/** Renders the line items. */
export function lineItemsOf(
  services: StripeServices,
  account: Account,
  order: SessionOrder,
): Record<string, unknown>[] {
  return order.line_items.map(({ price_data: price, quantity, metadata }) => ({
    id: newId('li'),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: price.unit_amount * quantity,
    amount_tax: 0,
    amount_total: price.unit_amount * quantity,
    currency: price.currency,
    description: price.product_data.name,
    metadata: metadata ?? {},
    price: {
      id: newId('price'),
      object: 'price',
      active: false,
      billing_scheme: 'per_unit',
      created: services.now(),
      currency: price.currency,
      custom_unit_amount: null,
      livemode: account.livemode,
      lookup_key: null,
      metadata: {},
      nickname: null,
      product: newId('prod', 14),
      recurring: null,
      tax_behavior: price.tax_behavior ?? 'unspecified',
      tiers_mode: null,
      transform_quantity: null,
      type: 'one_time',
      unit_amount: price.unit_amount,
      unit_amount_decimal: String(price.unit_amount),
    },
    quantity,
  }));
}
