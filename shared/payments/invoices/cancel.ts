// Canceling an unpaid invoice, and with it the tax document that hangs on it.
import type { Context } from '../../context.ts';
import { ApiError } from '../../errors.ts';
import { type KeyedOutcome, type KeyedRequest, keepSuccess, runKeyed } from '../idempotency.ts';
import { askProvider } from '../providers/ask.ts';
import type { Providers } from '../providers/routing.ts';
import { parseReason } from '../reason.ts';
import { cancelTaxDocument, windowExpired } from '../tax-documents/table.ts';
import { cancelInvoice as cancelRow, type InvoiceRow, invoiceSnapshot, selectForCancel } from './table.ts';

interface CancelRow {
  snapshot: InvoiceRow;
  tax_document_id: string | null;
  tax_document_status: 'pending' | 'issued' | null;
  window_open: boolean;
}

export async function cancelInvoice(
  context: Context,
  request: KeyedRequest,
  id: string,
  body: unknown,
  providers: Providers,
): Promise<KeyedOutcome> {
  const { tenantId, log } = context;
  return await runKeyed(context, request, {
    validate: () => parseReason(body),
    begin: (sql) => [selectForCancel(sql, tenantId, id)],
    async complete(attempt, reason) {
      const row = attempt.rows[0]?.[0] as CancelRow | undefined;
      if (!row) throw invoiceNotFound();
      if (row.snapshot.status !== 'open') throw notCancelable(row.snapshot.status);
      const issued = row.tax_document_status === 'issued' ? row.tax_document_id : null;
      if (issued && !row.window_open) throw windowExpired();
      const provider = providers.named(row.snapshot.provider);
      attempt.checkLease();
      if (!(await askProvider(log, () => provider.cancelCharge(id)))) throw notCancelable('paid');
      if (issued) await askProvider(log, () => provider.cancelTaxDocument(issued));
      return await attempt.finish('invoice', (sql) => [
        ...(issued ? [cancelTaxDocument(sql, tenantId, issued, reason)] : []),
        cancelRow(sql, tenantId, id, reason),
        keepSuccess(sql, request, 'invoice', invoiceSnapshot(sql, tenantId, id)),
      ]);
    },
  });
}

export const invoiceNotFound = () =>
  new ApiError('not_found', 'There is no such invoice.', { reason: 'not_found' });

function notCancelable(status: string): ApiError {
  return new ApiError(
    'invoice_not_cancelable',
    `The invoice is ${status}; only an open one can be canceled.`,
  );
}
