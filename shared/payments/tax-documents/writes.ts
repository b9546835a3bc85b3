// Requests tax documents, which a job issues. Loaded lazily to keep the function's cold start short.
import type { Context } from '../../platform/access/context.ts';
import { isSqlError, violatedConstraint } from '../../platform/db/sql-errors.ts';
import { ApiError, type ErrorDetail } from '../../platform/errors.ts';
import { idempotentSteps } from '../idempotency/run-idempotent.ts';
import { expectStatus } from '../orders/queries.ts';
import { problemOf } from '../providers/routing.ts';
import { invalidFields, notFound } from '../requests/errors.ts';
import {
  type InvoiceForTaxDocument,
  insertTaxDocument,
  LIVE_INDEX,
  selectInvoiceForTaxDocument,
  selectLiveTaxDocument,
} from './queries.ts';
import type { TaxDocumentRequest } from './schema.ts';
import { taxOrderErrors } from './tax-order.ts';

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

export function requestTaxDocument(
  { tenantId }: Context,
  { invoiceId, input, draft, errors }: TaxDocumentRequest & { invoiceId: string },
) {
  return idempotentSteps({
    kind: 'tax_document',
    begin: (sql) => selectInvoiceForTaxDocument(sql, tenantId, invoiceId, draft),
    async ask([invoice]) {
      const faults = errors(invoice ? documentErrors(invoice, draft) : []);
      if (!input) throw invalidFields(faults);
      if (!invoice) throw notFound('invoice');
      const { status, provider, account_id: accountId, live_id: liveId } = invoice;
      if (status === 'canceled' || status === 'failed') throw notDocumentable(status);
      if (liveId) throw documentExists();
      if (faults.length > 0) throw invalidFields(faults);
      const problem = problemOf(invoice);
      if (problem) throw problem;
      return { ...input, provider, accountId };
    },
    complete: (sql, document) => ({
      expected: expectStatus(sql, 'invoices', invoiceId, ['open', 'paid']),
      document: insertTaxDocument(sql, tenantId, { ...document, invoiceId }),
    }),
    snapshot: (sql) => selectLiveTaxDocument(sql, tenantId, invoiceId),
    mapWriteError(error) {
      if (isSqlError(error, 'statusChanged')) return notDocumentable('canceled');
      // Another request inserted a document between our read and our write.
      return violatedConstraint(error) === LIVE_INDEX ? documentExists() : undefined;
    },
  });
}

const NO_TAX_ID = 'is required for a tax document, but the invoice has none';

const notDocumentable = (status: string) =>
  new ApiError('conflict', `The invoice is ${status}. Only open and paid invoices can have a tax document.`);

const documentExists = () =>
  new ApiError('tax_document_exists', 'The invoice already has a pending or issued tax document.');
