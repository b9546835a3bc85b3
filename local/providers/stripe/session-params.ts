/** The emulated parameters of a Checkout session. */
import { z } from 'zod';
import { isCurrency } from './currencies.ts';
import { BANK_TRANSFER_COUNTRIES } from './methods.ts';
import { METHODS } from './options.ts';
import {
  Email,
  ignored,
  limited,
  listOf,
  Metadata,
  notEmulated,
  oneOf,
  Positive,
  Text,
  Url,
  Whole,
} from './params.ts';

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
      ...ignored<'tax_code' | 'unit_label' | 'tax_details'>('tax_code unit_label tax_details'),
    }),
    unit_amount: Whole,
    tax_behavior: oneOf(['exclusive', 'inclusive', 'unspecified']).optional(),
    ...notEmulated('product recurring unit_amount_decimal'),
  }),
  quantity: Positive,
  metadata: Metadata.optional(),
  ...notEmulated('price adjustable_quantity dynamic_tax_rates tax_rates'),
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
      ...ignored<'financial_connections'>('financial_connections'),
    })
    .optional(),
  sepa_debit: z
    .strictObject({ ...setupFutureUsage, ...ignored<'mandate_options'>('mandate_options') })
    .optional(),
  customer_balance: z
    .strictObject({
      ...setupFutureUsage,
      funding_type: oneOf(['bank_transfer']).optional(),
      bank_transfer: z
        .strictObject({
          type: oneOf(TRANSFERS),
          eu_bank_transfer: z.strictObject({ country: oneOf(BANK_TRANSFER_COUNTRIES) }).optional(),
          ...ignored<'requested_address_types'>('requested_address_types'),
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
      ...notEmulated(
        'application_fee_amount on_behalf_of setup_future_usage shipping transfer_data transfer_group',
      ),
    })
    .optional(),
  payment_method_options: MethodOptions.optional(),
  /** Only in versions before `ALLOWED_SINCE`. */
  payment_method_types: listOf(oneOf(METHODS)).optional(),
  allowed_payment_method_types: listOf(oneOf(METHODS)).optional(),
  submit_type: oneOf(['auto', 'book', 'donate', 'pay', 'subscribe']).optional(),
  ui_mode: oneOf(['hosted_page', 'hosted']).optional(),
  ...ignored(
    'adaptive_pricing after_expiration allow_promotion_codes billing_address_collection branding_settings consent_collection custom_fields custom_text customer_update integration_identifier name_collection origin_context payment_method_collection permissions phone_number_collection saved_payment_method_options tax_id_collection wallet_options',
  ),
  ...notEmulated(
    'automatic_tax currency customer_account discounts excluded_payment_method_types invoice_creation managed_payments optional_items payment_method_configuration payment_method_data redirect_on_completion return_url setup_intent_data shipping_address_collection shipping_options subscription_data',
  ),
};

export type SessionOrder = z.output<ReturnType<typeof z.strictObject<typeof SESSION>>>;
