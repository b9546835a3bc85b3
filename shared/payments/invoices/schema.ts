// Request and response schemas of invoices, and the validation rules that span several fields.
import { z } from 'zod';
import { ApiError, type ErrorDetail } from '../../platform/errors.ts';
import { email, oneOf, text } from '../../platform/validation.ts';
import { MAX_BOLETO_AMOUNT_MINOR } from '../artifacts/boleto.ts';
import { isTaxId } from '../formats/documents.ts';
import { isCountry, isCurrency, type Region, regionOf } from '../formats/regions.ts';
import { methodsByRegion, paymentMethods } from '../providers/charge-port.ts';
import { addressResponse, addressSchema, brazilianAddressErrors } from '../requests/address.ts';
import {
  amount,
  type CrossFieldError,
  controlFields,
  controlResponse,
  failureReasonResponse,
  type HasMember,
  metadataResponse,
  millisecondTime,
  minor,
  objectOf,
  optional,
  type ParsedBody,
  parseBody,
  type ValidPart,
} from '../requests/fields.ts';
import { taxErrors, taxesSchema } from '../tax-documents/taxes.ts';
import { dueDateErrorsToday, dueMembers, dueTermErrors } from './due-terms.ts';
import { invoiceStatuses } from './states.ts';

const YEAR_SECONDS = 365 * 86_400;

const httpUrl = text({ maxLength: 2048 }).refine(
  // The URL parser ignores line breaks and control characters, but the header Location must not contain them.
  (value) => /^https?:\/\/[^\s\p{Cc}/][^\s\p{Cc}]*$/iu.test(value) && URL.canParse(value),
  {
    error: 'must be an http(s) URL',
  },
);

const country = text()
  .refine(isCountry, { error: 'must be an ISO 3166-1 alpha-2 code in upper case' })
  .meta({ pattern: '^[A-Z]{2}$' });
const currency = text()
  .refine(isCurrency, { error: 'must be an ISO 4217 code in upper case' })
  .meta({ pattern: '^[A-Z]{3}$' });
const methodType = oneOf(paymentMethods);
const documentType = optional(oneOf(['nfse', 'nfe', 'peppol']));
const taxId = optional(text({ maxLength: 50 }));
const serviceCode = optional(text({ maxLength: 20, filled: true }));

export const invoiceSchema = objectOf({
  customer: objectOf({
    country,
    tax_id: taxId.describe('BR: CPF or CNPJ without punctuation; required with tax_document.'),
    name: text({ maxLength: 255, filled: true }),
    email,
    phone: optional(text({ maxLength: 20 })).describe('E.164 recommended.'),
    address: optional(addressSchema),
  }),
  amount,
  currency,
  description: text({ maxLength: 1000, filled: true }).describe(
    'Shown to the payer and on the tax document.',
  ),
  payment_method: objectOf({
    type: methodType,
    expires_in_seconds: optional(
      z
        .number({ error: 'must be an integer' })
        .refine((value) => Number.isInteger(value) && value >= 1 && value <= YEAR_SECONDS, {
          error: `must be an integer from 1 to ${YEAR_SECONDS}`,
        })
        .meta({ type: 'integer', minimum: 1, maximum: YEAR_SECONDS }),
    ).meta({
      // The OpenAPI generator drops null when a type is given.
      type: ['integer', 'null'],
      description:
        'Seconds until the invoice expires. Default: one hour for pix, three days for boleto and bolepix, a day for other methods.',
    }),
    return_url: optional(httpUrl).describe('URL to which the payer is redirected after a checkout.'),
    ...dueMembers,
  }),
  tax_document: optional(
    objectOf({
      auto_issue: optional(z.boolean({ error: 'must be true or false' })),
      type: documentType,
      service_code: serviceCode,
      taxes: optional(taxesSchema),
    }),
  ),
  ...controlFields,
  metadata: controlFields.metadata.meta({ type: ['object', 'null'] }),
}).meta({ id: 'InvoiceRequest' });

const expiring = { expires_at: millisecondTime };

/** A hosted payment page. */
const checkout = z.object({ checkout_url: z.url(), ...expiring }).optional();

/** An invoice in a response. */
export const invoiceResponse = z
  .object({
    id: z.string(),
    status: z.enum(invoiceStatuses),
    amount: minor('As requested.'),
    currency: z.string(),
    region: z.string(),
    customer: z.object({
      country: z.string(),
      tax_id: z.string().optional(),
      name: z.string(),
      email: z.string(),
      phone: z.string().optional(),
      address: addressResponse.optional(),
    }),
    description: z.string(),
    payment_method: z.object({
      type: z.string(),
      pix: z.object({ qr_code: z.string(), qr_code_image_url: z.url(), ...expiring }).optional(),
      boleto: z
        .object({ digitable_line: z.string(), barcode: z.string(), pdf_url: z.url(), ...expiring })
        .optional(),
      card: checkout,
      ach_debit: checkout,
      sepa_debit: checkout,
      bank_transfer: checkout,
      due_date: z.iso.date().optional(),
      days_after_due: z.int().optional(),
      fine_percent: z.number().optional(),
      interest_percent_month: z.number().optional(),
      discount: z
        .object({
          percent: z.number().optional(),
          amount: minor('').optional(),
          days_before_due: z.int(),
        })
        .optional(),
    }),
    tax_document: z
      .object({ id: z.string(), type: z.string(), status: z.string(), auto_issue: z.boolean() })
      .nullable(),
    ...controlResponse,
    metadata: metadataResponse,
    fee: minor('Fee charged by the provider. Null until the invoice is paid.').nullable(),
    net: minor('amount - fee. Null until the invoice is paid.').nullable(),
    amount_refunded: minor('Sum of the succeeded refunds.'),
    amount_refund_pending: minor('Sum of the pending refunds.'),
    dispute: z
      .object({
        status: z.enum(['open', 'won', 'lost']),
        kind: z
          .enum(['pix_infraction', 'chargeback'])
          .describe('`pix_infraction`: the payer reported a PIX payment as fraud (MED).'),
        amount: minor('The disputed amount.'),
        opened_at: millisecondTime,
        closed_at: millisecondTime.nullable(),
      })
      .nullable()
      .describe('The latest dispute. Null if there is none.'),
    paid_at: millisecondTime.nullable(),
    paid_on: z.iso.date().nullable().describe('Day on which the payer paid. Null until the invoice is paid.'),
    paid_amount: minor(
      'What the payer paid: amount - discount + fine + interest + what was overpaid. Null until the invoice is paid.',
    ).nullable(),
    fine: minor('Fine for late payment that was paid. Null until the invoice is paid.').nullable(),
    interest: minor('Interest for late payment that was paid. Null until the invoice is paid.').nullable(),
    discount: minor('Discount that the payer took. Null until the invoice is paid.').nullable(),
    failure_reason: failureReasonResponse,
    created: millisecondTime,
  })
  .meta({ id: 'Invoice' });

export type InvoiceResponse = z.output<typeof invoiceResponse>;
export type InvoiceInput = z.output<typeof invoiceSchema> & { region: Region };

/** The valid members of a request. */
export type InvoiceDraft = ValidPart<z.output<typeof invoiceSchema>>;

export interface InvoiceRequest extends Pick<ParsedBody<unknown>, 'errors'> {
  /** Undefined if the body has errors. */
  input: InvoiceInput | undefined;
  draft: InvoiceDraft;
  /** Faults that a retry may have only because it is sent on a later day than the request that created the invoice. */
  dueDateErrors: ErrorDetail[];
}

/** Parses a request body. Throws `provider_not_configured` if it is valid but requires features that are not available. */
export function parseInvoice(body: unknown): InvoiceRequest {
  const { data, valid: draft, errors } = parseBody(invoiceSchema, body, crossFieldErrors);
  const dueDateErrors = dueDateErrorsToday(draft.payment_method ?? {});
  return { input: data && { ...data, region: availableRegion(data) }, draft, dueDateErrors, errors };
}

function availableRegion({ customer, currency, tax_document: taxDocument }: z.output<typeof invoiceSchema>) {
  const region = regionOf(customer.country);
  if (!region) throw notAvailable(`Invoices for ${customer.country} in ${currency}`);
  if (taxDocument?.type && taxDocument.type !== 'nfse')
    throw notAvailable(`Tax documents of type ${taxDocument.type}`);
  if (taxDocument && region !== 'br') throw notAvailable(`Tax documents for ${customer.country}`);
  return region;
}

const notAvailable = (what: string) =>
  new ApiError('provider_not_configured', `${what} are not available yet.`);

function crossFieldErrors(valid: InvoiceDraft, has: HasMember): CrossFieldError[] {
  const { country: from, tax_id: taxId, address } = valid.customer ?? {};
  const { currency, amount: amountMinor, tax_document: taxDocument, payment_method: method = {} } = valid;
  const { type } = method;
  const region = from === undefined ? undefined : regionOf(from);
  const faults: CrossFieldError[] = [];
  const fault = (field: string, message: string, needs: string[] = []) =>
    faults.push({ field, message, needs });
  const allowed: readonly string[] | undefined = region && methodsByRegion[region];
  if (allowed && type && !allowed.includes(type)) {
    fault('payment_method.type', `must be one of ${allowed.join(', ')} for customers in ${from}`);
  }
  if (region === 'br') {
    if (currency && currency !== 'BRL') fault('currency', 'must be BRL for customers in BR');
    if (taxId !== undefined && !isTaxId(taxId)) {
      fault('customer.tax_id', 'must be a valid CPF (11 digits) or CNPJ (14 characters) without punctuation');
    }
    if (has('tax_document') && taxId === undefined) fault('customer.tax_id', 'is required with tax_document');
    faults.push(...brazilianAddressErrors(address, 'customer.address'));
  }
  dueTermErrors({ method, has, amountMinor, taxId }, fault);
  if (taxDocument && (taxDocument.type ?? 'nfse') === 'nfse' && !taxDocument.service_code) {
    fault('tax_document.service_code', 'is required for nfse', ['tax_document.type']);
  }
  faults.push(...taxErrors(taxDocument?.taxes, 'tax_document.taxes'));
  const onBoleto = type === 'boleto' || type === 'bolepix';
  if (onBoleto && amountMinor !== undefined && amountMinor > MAX_BOLETO_AMOUNT_MINOR) {
    fault('amount', `must be at most ${MAX_BOLETO_AMOUNT_MINOR} for a boleto`);
  }
  return faults;
}
