/** The order of a Checkout session: its parameters, and what is refused. */
import { z } from 'zod';
import { inWords, isCurrency, leastAmount, MOST_AMOUNT } from './currencies.ts';
import { customerOf } from './customers.ts';
import { type Desk, newId } from './desk.ts';
import { refused, StripeError } from './errors.ts';
import { BANK_TRANSFER_COUNTRIES, requireMethod } from './methods.ts';
import { METHODS } from './options.ts';
import {
  Email,
  limited,
  listOf,
  Metadata,
  oneOf,
  Positive,
  Text,
  taken,
  Url,
  unplayed,
  Whole,
} from './params.ts';
import type { Account, BankTransfer } from './state.ts';

const Currency = Text.transform((text) => text.toLowerCase()).transform((text, ctx) => {
  if (isCurrency(text)) return text;
  ctx.addIssue({ code: 'custom', message: `Invalid currency: ${text}.` });
  return z.NEVER;
});

const LineItem = z.strictObject({
  price_data: z.strictObject({
    currency: Currency,
    product_data: z.strictObject({
      name: Text,
      description: Text.optional(),
      images: listOf(Url).optional(),
      metadata: Metadata.optional(),
      ...taken<'tax_code' | 'unit_label' | 'tax_details'>('tax_code unit_label tax_details'),
    }),
    unit_amount: Whole,
    tax_behavior: oneOf(['exclusive', 'inclusive', 'unspecified']).optional(),
    ...unplayed('product recurring unit_amount_decimal'),
  }),
  quantity: Positive,
  metadata: Metadata.optional(),
  ...unplayed('price adjustable_quantity dynamic_tax_rates tax_rates'),
});

const LOCALES =
  'auto bg cs da de el en en-GB es es-419 et fi fil fr fr-CA hi-IN hr hu id it ja ko lt lv ms mt nb nl pl pt pt-BR ro ru sk sl sv th tr vi zh zh-HK zh-TW';

const setupFutureUsage = { setup_future_usage: oneOf(['none']).optional() };
const TRANSFERS = ['eu_bank_transfer', 'us_bank_transfer'] as const;

const MethodOptions = z.strictObject({
  card: z
    .strictObject({ request_three_d_secure: oneOf(['any', 'automatic', 'challenge']).optional() })
    .optional(),
  us_bank_account: z
    .strictObject({
      ...setupFutureUsage,
      verification_method: oneOf(['automatic', 'instant']).optional(),
      ...taken<'financial_connections'>('financial_connections'),
    })
    .optional(),
  sepa_debit: z
    .strictObject({ ...setupFutureUsage, ...taken<'mandate_options'>('mandate_options') })
    .optional(),
  customer_balance: z
    .strictObject({
      ...setupFutureUsage,
      funding_type: oneOf(['bank_transfer']).optional(),
      bank_transfer: z
        .strictObject({
          type: oneOf(TRANSFERS),
          eu_bank_transfer: z.strictObject({ country: oneOf(BANK_TRANSFER_COUNTRIES) }).optional(),
          ...taken<'requested_address_types'>('requested_address_types'),
        })
        .optional(),
    })
    .optional(),
});

export const SESSION = {
  mode: oneOf(['payment']),
  line_items: listOf(LineItem),
  success_url: Url,
  cancel_url: Url.optional(),
  client_reference_id: limited(200).optional(),
  customer: Text.optional(),
  customer_creation: oneOf(['always', 'if_required']).optional(),
  customer_email: Email.optional(),
  expires_at: Whole.optional(),
  locale: z
    .string()
    .refine((text) => LOCALES.split(' ').includes(text), `Invalid locale: must be one of ${LOCALES}`)
    .optional(),
  metadata: Metadata.optional(),
  payment_intent_data: z
    .strictObject({
      description: limited(1000).optional(),
      metadata: Metadata.optional(),
      receipt_email: Email.optional(),
      statement_descriptor: limited(22).optional(),
      statement_descriptor_suffix: limited(22).optional(),
      capture_method: oneOf(['automatic', 'automatic_async']).optional(),
      ...unplayed(
        'application_fee_amount on_behalf_of setup_future_usage shipping transfer_data transfer_group',
      ),
    })
    .optional(),
  payment_method_options: MethodOptions.optional(),
  payment_method_types: listOf(oneOf(METHODS)).optional(),
  submit_type: oneOf(['auto', 'book', 'donate', 'pay', 'subscribe']).optional(),
  ui_mode: oneOf(['hosted_page', 'hosted']).optional(),
  ...taken(
    'adaptive_pricing after_expiration allow_promotion_codes billing_address_collection branding_settings consent_collection custom_fields custom_text customer_update integration_identifier name_collection origin_context payment_method_collection permissions phone_number_collection saved_payment_method_options tax_id_collection wallet_options',
  ),
  ...unplayed(
    'automatic_tax allowed_payment_method_types currency customer_account discounts excluded_payment_method_types invoice_creation managed_payments optional_items payment_method_configuration payment_method_data redirect_on_completion return_url setup_intent_data shipping_address_collection shipping_options subscription_data',
  ),
};

export type SessionOrder = z.output<ReturnType<typeof z.strictObject<typeof SESSION>>>;

const HALF_AN_HOUR_S = 30 * 60;
const DAY_S = 24 * 60 * 60;

export interface CheckedOrder {
  currency: string;
  total: number;
  expiresAt: number;
  bankTransfer: BankTransfer | null;
}

/** Refuses what the parameters together cannot be. */
export function checkOrder(desk: Desk, account: Account, order: SessionOrder): CheckedOrder {
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
  const methods = order.payment_method_types ?? ['card'];
  for (const [index, method] of methods.entries()) requireMethod(account, method, currency, index);
  requireAmount(account, currency, total);
  const expiresAt = order.expires_at ?? desk.now() + DAY_S;
  requireExpiry(desk, expiresAt);
  const bankTransfer = methods.includes('customer_balance') ? transferOf(order, currency) : null;
  return { currency, total, expiresAt, bankTransfer };
}

function requireAmount(account: Account, currency: string, total: number): void {
  const least = leastAmount(currency, account.options.leastAmounts);
  if (total > 0 && total < least) {
    throw refused(
      `The Checkout Session's total amount due must add up to at least ${inWords(least, currency)}`,
      { code: 'amount_too_small' },
    );
  }
  if (total > MOST_AMOUNT) {
    throw refused(
      `The Checkout Session's total amount due must be no more than ${inWords(MOST_AMOUNT, currency)}`,
      { code: 'amount_too_large' },
    );
  }
}

function requireExpiry(desk: Desk, expiresAt: number): void {
  const param = 'expires_at';
  if (expiresAt < desk.now() + HALF_AN_HOUR_S) {
    throw refused('The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.', {
      param,
    });
  }
  if (expiresAt > desk.now() + DAY_S) {
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

/** Line items as they are listed. */
export function lineItemsOf(desk: Desk, account: Account, order: SessionOrder): Record<string, unknown>[] {
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
      created: desk.now(),
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
