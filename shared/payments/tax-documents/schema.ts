// Request and response schemas of tax documents.
import { z } from 'zod';
import { ApiError } from '../../platform/errors.ts';
import { text } from '../../platform/validation.ts';
import type { DocumentTaxes } from '../providers/tax-document-port.ts';
import { addressSchema, brazilianAddressErrors, type CustomerAddress } from '../requests/address.ts';
import { invalidFields } from '../requests/errors.ts';
import {
  bodyErrors,
  metadata,
  metadataResponse,
  millisecondTime,
  minor,
  objectOf,
  oneOf,
  optional,
  validOrAbsent,
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

const relatedFields = z
  .object({
    type: validOrAbsent(documentType),
    service_code: validOrAbsent(code),
    taxes: validOrAbsent(optional(taxesSchema)),
    customer_address: validOrAbsent(optional(addressSchema)),
  })
  .catch({});

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

/** Parses a request body. Throws `validation` with every invalid field, or `provider_not_configured` for types that are not available yet. */
export function parseTaxDocument(body: unknown): TaxDocumentInput {
  const result = taxDocumentSchema.safeParse(body);
  const related = relatedFields.parse(body);
  const missing = related.type === 'nfse' && !related.service_code;
  const needed = { field: 'service_code', message: 'is required for nfse' };
  const details = bodyErrors(body, result.error, [
    ...(missing ? [needed] : []),
    ...taxErrors(related.taxes, 'taxes'),
    ...brazilianAddressErrors(related.customer_address, 'customer_address'),
  ]);
  if (!result.success || details.length > 0) throw invalidFields(details);
  const { type, service_code: serviceCode, metadata: extra, taxes, customer_address } = result.data;
  if (type !== 'nfse' || !serviceCode) {
    throw new ApiError('provider_not_configured', `Tax documents of type ${type} are not available yet.`);
  }
  return { serviceCode, metadata: extra, taxes, customerAddress: customer_address };
}
