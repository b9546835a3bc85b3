// Canceling an unpaid invoice, and with it the tax document that hangs on it.
import type { Context } from '../../platform/context.ts';
import type { Sql } from '../../platform/db/database.ts';
import { raised } from '../../platform/db/sql-errors.ts';
import { ApiError } from '../../platform/errors.ts';
import { type KeyedOutcome, type KeyedRequest, keepSuccess, runKeyed } from '../idempotency.ts';
import { notFound } from '../not-found.ts';
import { askProvider } from '../providers/ask-provider.ts';
import type { Providers } from '../providers/routing.ts';
import { parseReason } from '../reason.ts';
import { cancelTaxDocument, windowExpired } from '../tax-documents/queries.ts';
import { cancelInvoice as cancelRow, type InvoiceRow, invoiceSnapshot, selectForCancel } from './queries.ts';

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
      let row = attempt.rows[0]?.[0] as CancelRow | undefined;
      const keep = (sql: Sql) => keepSuccess(sql, request, 'invoice', invoiceSnapshot(sql, tenantId, id));
      for (let tries = 1; ; tries++) {
        if (!row) throw notFound('invoice');
        // An earlier attempt canceled it, and the provider told us before that attempt could.
        const canceledBefore = attempt.again && row.snapshot.status === 'canceled';
        if (row.snapshot.status !== 'open' && !canceledBefore) throw notCancelable(row.snapshot.status);
        const issued = row.tax_document_status === 'issued' ? row.tax_document_id : null;
        if (issued && !row.window_open) throw windowExpired();
        const provider = providers.named(row.snapshot.provider);
        attempt.checkLease();
        if (!(await askProvider(log, () => provider.cancelCharge(id)))) throw notCancelable('paid');
        if (issued) {
          attempt.checkLease();
          await askProvider(log, () => provider.cancelTaxDocument(issued));
        }
        try {
          return await attempt.finish('invoice', (sql) => [
            sql`select app.expect_status('invoices', ${id}, array['open', ${canceledBefore ? 'canceled' : 'open'}])`,
            sql`select app.expect_no_issued_document(${id}, ${issued})`,
            ...(issued ? [cancelTaxDocument(sql, tenantId, issued, reason)] : []),
            cancelRow(sql, tenantId, id, reason),
            keep(sql),
          ]);
        } catch (error) {
          if (raised(error, 'statusChanged')) throw notCancelable('no longer open');
          if (!raised(error, 'documentIssued') || tries === MAX_TRIES) throw error;
        }
        // Its tax document was issued while the provider was asked: that one has to be canceled as well.
        const [rows] = await context.transaction((sql) => [selectForCancel(sql, tenantId, id)]);
        row = rows?.[0] as CancelRow | undefined;
      }
    },
  });
}

const MAX_TRIES = 3;

function notCancelable(status: string): ApiError {
  return new ApiError(
    'invoice_not_cancelable',
    `The invoice is ${status}; only an open one can be canceled.`,
  );
}
