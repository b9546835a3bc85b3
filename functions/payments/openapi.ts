// What OpenAPI says of payments.
import { z } from 'zod';
import { invoiceSchema } from '../../shared/payments/invoices/schema.ts';
import { payoutSchema } from '../../shared/payments/payouts/schema.ts';
import { reasonSchema } from '../../shared/payments/reason.ts';
import { taxDocumentSchema } from '../../shared/payments/tax-documents/operations.ts';
import type { EndpointDocs } from '../../shared/platform/http/app.ts';

const json = (schema: z.ZodType) => ({ 'application/json': { schema } });
const time = z.iso.datetime().describe('UTC, with milliseconds.');
const minor = (description: string) => z.int().describe(`Minor units. ${description}`);
const controls = {
  cost_center: z.string().nullable(),
  contractor_reference: z.string().nullable(),
  our_number: z.string(),
};
const metadata = z.record(z.string(), z.string());

const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string().describe('Path of the request.'),
    code: z.string().describe('What went wrong, for programs.'),
    request_id: z.string(),
    errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });

const pix = z.object({ qr_code: z.string(), qr_code_image_url: z.url(), expires_at: time });
const boleto = z.object({
  digitable_line: z.string(),
  barcode: z.string(),
  pdf_url: z.url(),
  expires_at: time,
});
const card = z.object({ checkout_url: z.url(), expires_at: time });

const invoice = z
  .object({
    id: z.string(),
    status: z.enum(['open', 'paid', 'canceled', 'failed']),
    amount: minor('As requested.'),
    currency: z.string(),
    region: z.string(),
    payment_method: z.object({
      type: z.string(),
      pix: pix.optional(),
      boleto: boleto.optional(),
      card: card.optional(),
    }),
    tax_document: z
      .object({ id: z.string(), type: z.string(), status: z.string(), auto_issue: z.boolean() })
      .nullable(),
    ...controls,
    metadata,
    created: time,
  })
  .meta({ id: 'Invoice' });

const taxDocument = z
  .object({
    id: z.string(),
    invoice_id: z.string(),
    type: z.string(),
    status: z.enum(['pending', 'issued', 'failed', 'canceled']),
    service_code: z.string(),
    metadata,
    failure_reason: z.string().optional(),
    created: time,
    document_number: z.string().optional(),
    xml_url: z.url().optional(),
    pdf_url: z.url().optional(),
    issued_at: time.optional(),
  })
  .meta({ id: 'TaxDocument' });

const payout = z
  .object({
    id: z.string(),
    status: z.enum(['created', 'incoming_payment_waiting', 'processing', 'paid', 'failed', 'canceled']),
    amount: minor('As requested.'),
    currency: z.string(),
    region: z.string(),
    beneficiary: z.record(z.string(), z.unknown()),
    purpose: z.string(),
    provider: z.string(),
    ...controls,
    metadata,
    created: time,
  })
  .meta({ id: 'Payout' });

const entry = z
  .object({
    id: z.string(),
    type: z.enum(['charge', 'payout', 'fee', 'adjustment']),
    amount: minor('Money in is positive, money out negative.'),
    currency: z.string(),
    fee: minor('The provider took it.'),
    net: minor('amount - fee.'),
    available_on: z.iso.date(),
    created: time,
    source: z.object({ resource: z.enum(['invoice', 'payout']), id: z.string() }).nullable(),
    cost_center: z.string().nullable(),
    our_number: z.string().nullable(),
    contractor_reference: z.string().nullable(),
  })
  .meta({ id: 'BalanceTransaction' });

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' as const } },
};
const fails = (description: string, headers?: typeof retryAfter) => ({
  description,
  content: { 'application/problem+json': { schema: problem } },
  ...(headers && { headers }),
});

const shared = {
  400: fails('Malformed JSON, or a required header is missing.'),
  401: fails('The key or its signature is missing, invalid or expired.'),
  403: fails('The key lacks the scope.'),
  404: fails('Unknown, or of another tenant.'),
  422: fails('Invalid fields or parameters.'),
  429: fails("The key's hourly limit is reached.", retryAfter),
  500: fails('Internal error; retry with backoff.'),
  503: fails('The database cannot be reached; nothing was done.', retryAfter),
};
const forPosts = {
  409: fails(
    'The state of the resource does not allow it, or the Idempotency-Key is in use or was used otherwise.',
  ),
  413: fails('The body exceeds 6 MiB.'),
  415: fails('The body is not JSON.'),
  501: fails('The region, currency or document is not live.'),
  502: fails('The provider failed; retry with the same Idempotency-Key.'),
};

const security = [{ signature: [] }];
const keyHeader = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .describe('The same request with the same key is done once; kept for 24 hours.'),
});
const id = z.object({ id: z.string() });
const documentIds = z.object({ id: z.string(), doc_id: z.string() });

function post(
  summary: string,
  options: { status: number; gives: z.ZodType; takes?: z.ZodType; required?: boolean; params?: z.ZodObject },
): EndpointDocs {
  const { status, gives, takes, required = false, params } = options;
  return {
    summary,
    security,
    request: {
      headers: keyHeader,
      ...(params && { params }),
      ...(takes && { body: { required, content: json(takes) } }),
    },
    responses: { [status]: { description: summary, content: json(gives) }, ...shared, ...forPosts },
  };
}

function get(summary: string, gives: z.ZodType, request: EndpointDocs['request']): EndpointDocs {
  return {
    summary,
    security,
    ...(request && { request }),
    responses: { 200: { description: summary, content: json(gives) }, ...shared },
  };
}

const listOf = (item: z.ZodType) => z.object({ data: z.array(item), has_more: z.boolean() });
const page = {
  limit: z.coerce.number().int().min(1).max(100).optional().describe('Default 20.'),
  starting_after: z.string().optional().describe('The page after this id.'),
  ending_before: z.string().optional().describe('The page before this id.'),
};
const controlQuery = {
  cost_center: z.string().optional(),
  our_number: z.string().optional(),
  contractor_reference: z.string().optional(),
  'created[gte]': z.string().optional().describe('A timestamp, or a date for its midnight UTC.'),
  'created[lte]': z.string().optional(),
};

export const createInvoiceDocs = post('Issue an invoice', {
  status: 201,
  gives: invoice,
  takes: invoiceSchema,
  required: true,
});
export const listInvoicesDocs = get('List invoices, newest first', listOf(invoice), {
  query: z.object({
    ...page,
    ...controlQuery,
    status: z.enum(['open', 'paid', 'canceled', 'failed']).optional(),
    'payment_method.type': z.enum(['pix', 'boleto', 'bolepix', 'card']).optional(),
  }),
});
export const getInvoiceDocs = get('Get an invoice', invoice, { params: id });
export const cancelInvoiceDocs = post('Cancel an unpaid invoice', {
  status: 200,
  gives: invoice,
  takes: reasonSchema,
  params: id,
});
export const requestTaxDocumentDocs = post('Issue a tax document', {
  status: 202,
  gives: taxDocument,
  takes: taxDocumentSchema,
  required: true,
  params: id,
});
export const getTaxDocumentDocs = get('Get a tax document', taxDocument, { params: documentIds });
export const cancelTaxDocumentDocs = post('Cancel a tax document', {
  status: 200,
  gives: taxDocument,
  takes: reasonSchema,
  params: documentIds,
});
export const createPayoutDocs = post('Pay out', {
  status: 201,
  gives: payout,
  takes: payoutSchema,
  required: true,
});
export const listPayoutsDocs = get('List payouts, newest first', listOf(payout), {
  query: z.object({
    ...page,
    ...controlQuery,
    status: z
      .enum(['created', 'incoming_payment_waiting', 'processing', 'paid', 'failed', 'canceled'])
      .optional(),
    provider: z.string().optional(),
  }),
});
export const getPayoutDocs = get('Get a payout', payout, { params: id });
export const cancelPayoutDocs = post('Cancel an international payout', {
  status: 200,
  gives: payout,
  params: id,
});
export const listBalanceTransactionsDocs = get('List ledger entries, newest first', listOf(entry), {
  query: z.object({
    ...page,
    ...controlQuery,
    type: z.enum(['charge', 'payout', 'fee', 'adjustment']).optional(),
    currency: z.string().optional(),
    provider: z.string().optional(),
    period: z.string().optional().describe("A month of the tenant's time zone, YYYY-MM."),
    'available_on[gte]': z.iso.date().optional(),
    'available_on[lte]': z.iso.date().optional(),
    source: z.string().optional().describe('Id of an invoice or a payout.'),
  }),
});
export const getBalanceTransactionDocs = get('Get a ledger entry', entry, { params: id });
export const payInSandboxDocs = post('Play the payer of an invoice (staging)', {
  status: 200,
  gives: invoice,
  params: id,
});
