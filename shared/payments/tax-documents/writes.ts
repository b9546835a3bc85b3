// Requests tax documents, which a job issues. Loaded lazily to keep the function's cold start short.
import type { Context } from '../../platform/access/context.ts';
import { isSqlError, violatedConstraint } from '../../platform/db/sql-errors.ts';
import { ApiError, type ErrorDetail } from '../../platform/errors.ts';
import type { Attempt, Completed } from '../idempotency/with-idempotency-key.ts';
import { expectStatus } from '../orders/queries.ts';
import { problemOf } from '../providers/routing.ts';
import { invalidFields, notFound } from '../requests/errors.ts';
import { taxOrderErrors } from './order.ts';
import {
  type InvoiceForTaxDocument,
  insertTaxDocument,
  LIVE_INDEX,
  selectInvoiceForTaxDocument,
  selectLiveTaxDocument,
} from './queries.ts';
import type { TaxDocumentRequest } from './schema.ts';

export { parseReason } from '../requests/fields.ts';
export { cancelTaxDocument } from './cancel.ts';
export { parseTaxDocument } from './schema.ts';

/** The faults of a document that depend on its invoice, its account and the tenant's rules. */
function documentErrors(invoice: InvoiceForTaxDocument, draft: TaxDocumentRequest['draft']): ErrorDetail[] {
  const address = draft.customerAddress ?? invoice.address ?? undefined;
  const paths = { taxes: 'taxes', address: 'customer_address' };
  return [
    ...(invoice.tax_id ? [] : [{ field: 'customer.tax_id', message: NO_TAX_ID }]),
    ...(invoice.tax_order ? taxOrderErrors(invoice.tax_order, address, paths) : []),
  ];
}

/** Throws `not_found`, `validation`, `conflict`, `tax_document_exists` and `provider_not_configured`. */
export async function requestTaxDocument(
  { tenantId }: Context,
  attempt: Attempt,
  { invoiceId, input, draft, errors }: TaxDocumentRequest & { invoiceId: string },
): Promise<Completed> {
  const [invoice] = await attempt.begin((sql) =>
    selectInvoiceForTaxDocument(sql, tenantId, invoiceId, draft),
  );
  const faults = errors(invoice ? documentErrors(invoice, draft) : []);
  if (!input) throw invalidFields(faults);
  if (!invoice) throw notFound('invoice');
  const { status, provider, account_id: accountId, live_id: liveId } = invoice;
  if (status === 'canceled' || status === 'failed') throw notDocumentable(status);
  if (liveId) throw documentExists();
  if (faults.length > 0) throw invalidFields(faults);
  const problem = problemOf(invoice);
  if (problem) throw problem;

  try {
    return await attempt.complete(
      (sql) => ({
        expected: expectStatus(sql, 'invoices', invoiceId, ['open', 'paid']),
        document: insertTaxDocument(sql, tenantId, { ...input, provider, accountId, invoiceId }),
      }),
      { kind: 'tax_document', snapshot: (sql) => selectLiveTaxDocument(sql, tenantId, invoiceId) },
    );
  } catch (error) {
    if (isSqlError(error, 'statusChanged')) throw notDocumentable('canceled');
    // Another request inserted a document between our read and our write.
    throw violatedConstraint(error) === LIVE_INDEX ? documentExists() : error;
  }
}

const NO_TAX_ID = 'is required for a tax document, but the invoice has none';

const notDocumentable = (status: string) =>
  new ApiError('conflict', `The invoice is ${status}. Only open and paid invoices can have a tax document.`);

const documentExists = () =>
  new ApiError('tax_document_exists', 'The invoice already has a pending or issued tax document.');
