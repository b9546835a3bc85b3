// What POST /invoices takes, and the rules that concern more than one field.
import { z } from 'zod';
import { ApiError, type ErrorDetail } from '../../platform/errors.ts';
import { email, text } from '../../platform/validation.ts';
import { issueDetails } from '../../platform/zod-issues.ts';
import { MAX_BOLETO_AMOUNT_MINOR } from '../artifacts/boleto.ts';
import {
  amount,
  controlFields,
  controlResponse,
  invalidFields,
  metadataResponse,
  millisecondTime,
  minor,
  objectOf,
  oneOf,
  optional,
  ourNumberFault,
} from '../fields.ts';
import { isTaxId } from '../formats/documents.ts';

import { isCountry, isCurrency, regionOf } from '../formats/regions.ts';
import type { PaymentMethod } from '../providers/provider.ts';
import { methodsByRegion } from '../providers/routing.ts';
import { invoiceStatuses } from './states.ts';

const YEAR_SECONDS = 365 * 86_400;
const METHODS = ['pix', 'boleto', 'bolepix', 'card', 'ach_debit', 'sepa_debit', 'bank_transfer'] as const;

const httpUrl = text({ maxLength: 2048 }).refine(
  (value) => /^https?:\/\/[^\s/]+/i.test(value) && URL.canParse(value),
  {
    error: 'must be an http(s) URL',
  },
);

export const invoiceSchema = objectOf({
  customer: objectOf({
    country: text().refine(isCountry, { error: 'must be an ISO 3166-1 alpha-2 code in upper case' }),
    tax_id: optional(text()).describe('BR: CPF or CNPJ without punctuation; required with tax_document.'),
    name: text({ maxLength: 255, filled: true }),
    email,
    phone: optional(text({ maxLength: 20 })).describe('E.164 recommended.'),
  }),
  amount,
  currency: text().refine(isCurrency, { error: 'must be an ISO 4217 code in upper case' }),
  description: text({ maxLength: 1000, filled: true }).describe(
    'Shown to the payer and in the fiscal document.',
  ),
  payment_method: objectOf({
    type: oneOf(METHODS),
    expires_in_seconds: optional(
      z
        .number({ error: 'must be an integer' })
        .refine((value) => Number.isInteger(value) && value >= 1 && value <= YEAR_SECONDS, {
          error: `must be an integer from 1 to ${YEAR_SECONDS}`,
        })
        .meta({ type: 'integer', minimum: 1, maximum: YEAR_SECONDS }),
    ).describe('pix, boleto, bolepix: validity. Default one hour for pix, three days for the others.'),
    return_url: optional(httpUrl).describe('card: where the payer is sent after the checkout.'),
  }),
  tax_document: optional(
    objectOf({
      auto_issue: optional(z.boolean({ error: 'must be true or false' })),
      type: optional(oneOf(['nfse', 'nfe', 'peppol'])),
      service_code: optional(text({ maxLength: 20, filled: true })),
    }),
  ),
  ...controlFields,
}).meta({ id: 'InvoiceRequest' });

const expiring = { expires_at: millisecondTime };

/** An invoice in an answer. */
export const invoiceResponse = z
  .object({
    id: z.string(),
    status: z.enum(invoiceStatuses),
    amount: minor('As requested.'),
    currency: z.string(),
    region: z.string(),
    payment_method: z.object({
      type: z.string(),
      pix: z.object({ qr_code: z.string(), qr_code_image_url: z.url(), ...expiring }).optional(),
      boleto: z
        .object({ digitable_line: z.string(), barcode: z.string(), pdf_url: z.url(), ...expiring })
        .optional(),
      card: z.object({ checkout_url: z.url(), ...expiring }).optional(),
    }),
    tax_document: z
      .object({ id: z.string(), type: z.string(), status: z.string(), auto_issue: z.boolean() })
      .nullable(),
    ...controlResponse,
    metadata: metadataResponse,
    created: millisecondTime,
  })
  .meta({ id: 'Invoice' });

export type InvoiceResponse = z.output<typeof invoiceResponse>;
export type InvoiceInput = z.output<typeof invoiceSchema> & {
  region: 'br';
  payment_method: { type: PaymentMethod };
};

/** Checks a body. Throws `validation` with every fault, then 501 for what is well-formed but not live. */
export function parseInvoice(body: unknown): InvoiceInput {
  const result = invoiceSchema.safeParse(body);
  const forbidden = ourNumberFault(body);
  if (!result.success) throw invalidFields([...issueDetails(result.error, 'body'), ...forbidden]);
  const input = result.data;
  const details = [...crossFieldFaults(input), ...forbidden];
  if (details.length > 0) throw invalidFields(details);
  const { customer, currency, tax_document: taxDocument } = input;
  const region = regionOf(customer.country);
  const type = methodsByRegion.br.find((one) => one === input.payment_method.type);
  if (region !== 'br' || !type) throw notLive(`Invoices for ${customer.country} in ${currency}`);
  if (taxDocument?.type && taxDocument.type !== 'nfse')
    throw notLive(`Tax documents of type ${taxDocument.type}`);
  return { ...input, region, payment_method: { ...input.payment_method, type } };
}

const notLive = (what: string) => new ApiError('provider_not_configured', `${what} are not live yet.`);

function crossFieldFaults(input: z.output<typeof invoiceSchema>): ErrorDetail[] {
  const {
    customer,
    currency,
    payment_method: method,
    tax_document: taxDocument,
    amount: amountMinor,
  } = input;
  const region = regionOf(customer.country);
  const details: ErrorDetail[] = [];
  const fault = (field: string, message: string) => details.push({ field, message });
  const allowed: readonly string[] | undefined = region && methodsByRegion[region];
  if (allowed && !allowed.includes(method.type)) {
    fault('payment_method.type', `must be one of ${allowed.join(', ')} for customers in ${customer.country}`);
  }
  if (region === 'br') {
    if (currency !== 'BRL') fault('currency', 'must be BRL for customers in BR');
    if (customer.tax_id !== undefined && !isTaxId(customer.tax_id)) {
      fault('customer.tax_id', 'must be a valid CPF (11 digits) or CNPJ (14 characters) without punctuation');
    }
    if (taxDocument && customer.tax_id === undefined)
      fault('customer.tax_id', 'is required with tax_document');
  }
  if (taxDocument && (taxDocument.type ?? 'nfse') === 'nfse' && !taxDocument.service_code) {
    fault('tax_document.service_code', 'is required for nfse');
  }
  const onBoleto = method.type === 'boleto' || method.type === 'bolepix';
  if (onBoleto && amountMinor > MAX_BOLETO_AMOUNT_MINOR) {
    fault('amount', `must be at most ${MAX_BOLETO_AMOUNT_MINOR} for a boleto`);
  }
  return details;
}
