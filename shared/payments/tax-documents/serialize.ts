import { toMilliseconds } from '../../platform/instants.ts';
import { fileUrl } from '../artifacts/file-paths.ts';
import type { IssuedTaxes } from '../providers/tax-document-port.ts';
import type { TaxDocumentRow } from './queries.ts';
import type { TaxDocumentResponse } from './schema.ts';

const UNKNOWN_TAXES: IssuedTaxes = {
  state_ibs_percent: null,
  state_ibs_amount: null,
  municipal_ibs_percent: null,
  municipal_ibs_amount: null,
  cbs_percent: null,
  cbs_amount: null,
};

/** `functionsUrl` is the public base URL of the payer's files. */
export function serializeTaxDocument(row: TaxDocumentRow, functionsUrl: string): TaxDocumentResponse {
  return {
    id: row.id,
    invoice_id: row.invoice_id,
    type: row.type,
    status: row.status,
    service_code: row.service_code,
    metadata: row.metadata ?? {},
    ...(row.failure_reason !== null && { failure_reason: row.failure_reason }),
    ...(row.cancel_requested_at !== null && {
      cancel_requested_at: toMilliseconds(row.cancel_requested_at),
    }),
    ...(row.cancel_error !== null && { cancel_error: row.cancel_error }),
    taxes: row.issued_at === null ? null : { ...UNKNOWN_TAXES, ...row.taxes },
    created: toMilliseconds(row.created),
    ...(row.issued_at !== null && {
      document_number: row.document_number ?? '',
      xml_url: fileUrl(functionsUrl, row.public_token, 'nfse.xml'),
      pdf_url: fileUrl(functionsUrl, row.public_token, 'nfse.pdf'),
      issued_at: toMilliseconds(row.issued_at),
    }),
  };
}
