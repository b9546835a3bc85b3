// Request and response schemas of tax documents.
import { z } from 'zod';
import { ApiError } from '../../platform/errors.ts';
import { oneOf, text } from '../../platform/validation.ts';
import type { DocumentTaxes } from '../providers/tax-document-port.ts';
import { addressSchema, brazilianAddressErrors, type CustomerAddress } from '../requests/address.ts';
import {
  metadata,
  metadataResponse,
  millisecondTime,
  minor,
  objectOf,
  optional,
  type ParsedBody,
  parseBody,
  type ValidPart,
} from '../requests/fields.ts';
import { taxDocumentStatuses } from './states.ts';
import { taxErrors, taxesSchema } from './taxes.ts';

const documentType = oneOf(['nfse', 'nfe', 'peppol']);
const code = optional(text({ maxLength: 20, filled: true }));

export const taxDocumentSchema = objectOf({
  type: documentType,
  service_code: code.describe('Municipal service code; required for nfse.'),
  taxes: optional(taxesSchema),
  customer_address: optional(addressSchema),
  metadata: optional(metadata).meta({ type: ['object', 'null'] }),
}).meta({ id: 'TaxDocumentRequest' });

const percent = z.number().nullable();
const taxAmount = minor('Null if the provider does not report it.').nullable();

const issuedTaxes = z
  .object({
    state_ibs_percent: percent,
    state_ibs_amount: taxAmount,
    municipal_ibs_percent: percent,
    municipal_ibs_amount: taxAmount,
    cbs_percent: percent,
    cbs_amount: taxAmount,
  })
  .describe('IBS and CBS of the document, for information. Null until it is issued.');

/** A tax document in a response. */
export const taxDocumentResponse = z
  .object({
    id: z.string(),
    invoice_id: z.string(),
    type: z.string(),
    status: z.enum(taxDocumentStatuses),
    service_code: z.string(),
    metadata: metadataResponse,
    failure_reason: z.string().optional(),
    cancel_requested_at: millisecondTime
      .optional()
      .describe('When the cancellation was requested. Present until the municipality decides.'),
    cancel_error: z
      .string()
      .optional()
      .describe("The municipality's message when it rejected the cancellation."),
    taxes: issuedTaxes.nullable(),
    created: millisecondTime,
    document_number: z.string().optional(),
    xml_url: z.url().optional(),
    pdf_url: z.url().optional(),
    issued_at: millisecondTime.optional(),
  })
  .meta({ id: 'TaxDocument' });

export type TaxDocumentResponse = z.output<typeof taxDocumentResponse>;

export interface TaxDocumentInput {
  serviceCode: string;
  taxes: DocumentTaxes | undefined;
  customerAddress: CustomerAddress | undefined;
  metadata: Record<string, string> | undefined;
}

export interface TaxDocumentRequest extends Pick<ParsedBody<unknown>, 'errors'> {
  /** Undefined if the body has errors. */
  input: TaxDocumentInput | undefined;
  /** The valid members. */
  draft: Pick<TaxDocumentInput, 'taxes' | 'customerAddress'> & { serviceCode: string | undefined };
}

const crossFieldErrors = (valid: ValidPart<z.output<typeof taxDocumentSchema>>) => [
  ...(valid.type === 'nfse' && !valid.service_code
    ? [{ field: 'service_code', message: 'is required for nfse' }]
    : []),
  ...taxErrors(valid.taxes, 'taxes'),
  ...brazilianAddressErrors(valid.customer_address, 'customer_address'),
];

/** Parses a request body. Throws `provider_not_configured` if it is valid but of a type that is not available yet. */
export function parseTaxDocument(body: unknown): TaxDocumentRequest {
  const { data, valid, errors } = parseBody(taxDocumentSchema, body, crossFieldErrors);
  const { service_code: serviceCode, taxes, customer_address: customerAddress } = valid;
  const draft = { serviceCode, taxes, customerAddress };
  if (!data) return { input: undefined, draft, errors };
  if (data.type !== 'nfse' || !serviceCode)
    throw new ApiError(
      'provider_not_configured',
      `Tax documents of type ${data.type} are not available yet.`,
    );
  return { input: { ...draft, serviceCode, metadata: data.metadata }, draft, errors };
}
