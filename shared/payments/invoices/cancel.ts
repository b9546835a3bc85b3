// Cancels an open invoice and its tax document. If the tax document is issued, its cancellation window must still be open
// (`app.cancellation_window_open`, database/payments/tax-documents.sql). Needs the scope `payments:write`.
import type { Context } from '../../platform/access/context.ts';
import { isSqlError } from '../../platform/db/sql-errors.ts';
import { ApiError } from '../../platform/errors.ts';
import { type Attempt, type Completed, StartOver } from '../idempotency/with-idempotency-key.ts';
import { expectCancelable } from '../orders/queries.ts';
import { chargesOf, type Providers, taxDocumentsOf } from '../providers/provider.ts';
import { cancellationWindowExpired, notFound } from '../requests/errors.ts';
import { taxDocumentOrderOf } from '../tax-documents/order.ts';
import {
  checkCanceledDocuments,
  markCancelRequested,
  markTaxDocumentCanceled,
} from '../tax-documents/queries.ts';
import { chargeOrderOf } from './order.ts';
import {
  type CancelableInvoice,
  expectNoIssuedDocument,
  markCanceled,
  selectInvoice,
  selectInvoiceToCancel,
} from './queries.ts';

/** Throws `not_found`, `invoice_not_cancelable`, `cancellation_window_expired` and `provider_error`. */
export async function cancelInvoice(
  { tenantId }: Context,
  attempt: Attempt,
  { id, reason }: { id: string; reason: string | undefined },
  providers: Providers,
): Promise<Completed> {
  const {
    invoices: [found],
  } = await attempt.begin((sql) => ({
    invoices: selectInvoiceToCancel(sql, tenantId, id),
    check: checkCanceledDocuments(sql, id),
  }));
  if (!found) throw notFound('invoice');
  const { snapshot: invoice, document } = found;
  // The provider reported an earlier attempt's cancellation before that attempt stored it.
  const canceledBefore = attempt.isRetry && invoice.status === 'canceled';
  if (invoice.status !== 'open' && !canceledBefore) throw notCancelable(invoice.status);
  const issuedDocument = found.tax_document_status === 'issued' ? found.tax_document_id : null;
  if (issuedDocument && !found.window_open) throw cancellationWindowExpired();

  const provider = await providers.of(invoice, found.account);
  const order = chargeOrderOf(invoice);
  if (!(await attempt.callProvider((signal) => chargesOf(provider).cancel(order, signal))))
    throw notCancelable('paid');
  const documentCanceled =
    issuedDocument !== null &&
    document !== null &&
    (await cancelDocument(attempt, providers, { ...found, document }));

  try {
    return await attempt.complete(
      (sql) => ({
        expected: expectCancelable(sql, 'invoice', { tenantId, id }, ['open']),
        noOtherDocument: expectNoIssuedDocument(sql, id, issuedDocument),
        document: !issuedDocument
          ? []
          : documentCanceled
            ? markTaxDocumentCanceled(sql, tenantId, issuedDocument, reason)
            : markCancelRequested(sql, tenantId, issuedDocument, { reason, refused: undefined }),
        invoice: markCanceled(sql, tenantId, id, reason),
      }),
      { kind: 'invoice', snapshot: (sql) => selectInvoice(sql, tenantId, id) },
    );
  } catch (error) {
    if (isSqlError(error, 'statusChanged')) throw notCancelable('no longer open');
    // The tax document was issued during the provider call, so it must be canceled as well.
    throw isSqlError(error, 'documentIssued')
      ? new StartOver('a document was issued', { cause: error })
      : error;
  }
}

/** Whether the document is canceled. If the municipality decides later, the job that polls the document records its decision. */
async function cancelDocument(
  attempt: Attempt,
  providers: Providers,
  found: CancelableInvoice & { document: NonNullable<CancelableInvoice['document']> },
): Promise<boolean> {
  const issuer = await providers.of(found.document, found.document_account);
  const order = taxDocumentOrderOf({ ...found, invoice: found.snapshot });
  const { status } = await attempt.callProvider((signal) => taxDocumentsOf(issuer).cancel(order, signal));
  return status === 'canceled';
}

function notCancelable(status: string): ApiError {
  return new ApiError(
    'invoice_not_cancelable',
    `The invoice is ${status}. Only an open invoice can be canceled.`,
  );
}
