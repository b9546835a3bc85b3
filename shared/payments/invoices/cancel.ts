// Cancels an open invoice and its tax document. If the tax document is issued, its cancellation window must still be open
// (`app.cancellation_window_open`, database/payments/tax-documents.sql). Needs the scope `payments:write`.
import type { Context } from '../../platform/access/context.ts';
import { isSqlError } from '../../platform/db/sql-errors.ts';
import { ApiError } from '../../platform/errors.ts';
import { idempotentSteps } from '../idempotency/run-idempotent.ts';
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
import { expectNoIssuedDocument, markCanceled, selectInvoice, selectInvoiceToCancel } from './queries.ts';

export function cancelInvoice(
  { tenantId }: Context,
  { id, reason }: { id: string; reason: string | undefined },
  providers: Providers,
) {
  return idempotentSteps({
    kind: 'invoice',
    begin: (sql) => ({
      invoices: selectInvoiceToCancel(sql, tenantId, id),
      check: checkCanceledDocuments(sql, id),
    }),
    async ask({ invoices: [found] }, { again, askProvider }) {
      if (!found) throw notFound('invoice');
      const { snapshot: invoice, document } = found;
      const { status } = invoice;
      // The provider reported an earlier attempt's cancellation before that attempt stored it.
      const canceledBefore = again && status === 'canceled';
      if (status !== 'open' && !canceledBefore) throw notCancelable(status);
      const issuedDocument = found.tax_document_status === 'issued' ? found.tax_document_id : null;
      if (issuedDocument && !found.window_open) throw cancellationWindowExpired();
      const provider = await providers.of(invoice, found.account);
      const canceled = await askProvider((signal) =>
        chargesOf(provider).cancel(chargeOrderOf(invoice), signal),
      );
      if (!canceled) throw notCancelable('paid');
      if (!issuedDocument || !document) return { issuedDocument, documentCanceled: false };
      const issuer = await providers.of(document, found.document_account);
      const order = taxDocumentOrderOf({ ...found, document, invoice });
      // The municipality may decide later; the job that polls the tax document records its decision.
      const { status: documentStatus } = await askProvider((signal) =>
        taxDocumentsOf(issuer).cancel(order, signal),
      );
      return { issuedDocument, documentCanceled: documentStatus === 'canceled' };
    },
    complete: (sql, { issuedDocument, documentCanceled }) => ({
      expected: expectCancelable(sql, 'invoice', { tenantId, id }, ['open']),
      noOtherDocument: expectNoIssuedDocument(sql, id, issuedDocument),
      document: !issuedDocument
        ? []
        : documentCanceled
          ? markTaxDocumentCanceled(sql, tenantId, issuedDocument, reason)
          : markCancelRequested(sql, tenantId, issuedDocument, { reason, refused: undefined }),
      invoice: markCanceled(sql, tenantId, id, reason),
    }),
    snapshot: (sql) => selectInvoice(sql, tenantId, id),
    mapWriteError(error) {
      if (isSqlError(error, 'statusChanged')) return notCancelable('no longer open');
      // The tax document was issued during the provider call, so it must be canceled as well.
      return isSqlError(error, 'documentIssued') ? 'look again' : undefined;
    },
  });
}

function notCancelable(status: string): ApiError {
  return new ApiError(
    'invoice_not_cancelable',
    `The invoice is ${status}. Only an open invoice can be canceled.`,
  );
}
