// Cancels an issued tax document within the municipality's cancellation window. If the municipality decides later, the document
// stays issued until then.
import type { Context } from '../../platform/access/context.ts';
import { isSqlError } from '../../platform/db/sql-errors.ts';
import { ApiError } from '../../platform/errors.ts';
import { idempotentSteps } from '../idempotency/run-idempotent.ts';
import { expectCancelable } from '../orders/queries.ts';
import { toOneLine } from '../providers/errors.ts';
import { type PaymentProvider, type Providers, taxDocumentsOf } from '../providers/provider.ts';
import type { TaxDocumentOrder, TaxDocumentReport } from '../providers/tax-document-port.ts';
import { cancellationWindowExpired, notFound } from '../requests/errors.ts';
import { taxDocumentOrderOf } from './order.ts';
import {
  checkCanceledDocuments,
  markCancelRequested,
  markTaxDocumentCanceled,
  selectTaxDocument,
  selectTaxDocumentToCancel,
  type TaxDocumentIds,
} from './queries.ts';

/** How long a request waits for the municipality's decision. */
const DECISION_TIMEOUT_MS = 3_000;
const POLL_INTERVAL_MS = 1_000;

export function cancelTaxDocument(
  { tenantId }: Context,
  { reason, ...ids }: TaxDocumentIds & { reason: string | undefined },
  providers: Providers,
) {
  const { id } = ids;
  return idempotentSteps({
    kind: 'tax_document',
    begin: (sql) => ({
      documents: selectTaxDocumentToCancel(sql, tenantId, ids),
      check: checkCanceledDocuments(sql, ids.invoiceId),
    }),
    async ask({ documents: [found] }, { again, askProvider }) {
      if (!found) throw notFound('tax_document');
      const { snapshot: document } = found;
      // The municipality decided after an earlier attempt requested the cancellation.
      if (again && document.status === 'canceled') return { canceledBefore: true, decided: true };
      if (document.status !== 'issued') throw notCancelable(document.status);
      if (document.cancel_error) throw cancellationRejected(document.cancel_error);
      if (!found.window_open) throw cancellationWindowExpired();
      const provider = await providers.of(document, found.account);
      const order = taxDocumentOrderOf(found.to_issue);
      const report = await askProvider((signal) => requestCancellation(provider, order, signal));
      if (report.cancelRejectionMessage !== undefined)
        throw cancellationRejected(report.cancelRejectionMessage);
      return { canceledBefore: false, decided: report.status === 'canceled' };
    },
    complete: (sql, { canceledBefore, decided }) =>
      canceledBefore
        ? []
        : {
            expected: expectCancelable(sql, 'tax_document', { tenantId, id }, ['issued']),
            document: decided
              ? markTaxDocumentCanceled(sql, tenantId, id, reason)
              : markCancelRequested(sql, tenantId, id, { reason, refused: undefined }),
          },
    snapshot: (sql) => selectTaxDocument(sql, tenantId, ids),
    successStatus: ({ decided }) => (decided ? undefined : 202),
    undo: (sql, _found, error) =>
      error instanceof CancellationRejected
        ? markCancelRequested(sql, tenantId, id, { reason, refused: error.words })
        : [],
    mapWriteError: (error) => (isSqlError(error, 'statusChanged') ? notCancelable('canceled') : undefined),
  });
}

/** Requests the cancellation and polls briefly for the municipality's decision. */
async function requestCancellation(
  provider: PaymentProvider,
  order: TaxDocumentOrder,
  signal: AbortSignal,
): Promise<TaxDocumentReport> {
  const until = performance.now() + DECISION_TIMEOUT_MS;
  let report = await taxDocumentsOf(provider).cancel(order, signal);
  while (report.cancelPending && performance.now() + POLL_INTERVAL_MS < until) {
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    report = (await taxDocumentsOf(provider).find(order, signal)) ?? report;
  }
  return report;
}

function notCancelable(status: string): ApiError {
  const message = `The tax document is ${status}. Only an issued tax document can be canceled.`;
  return new ApiError('tax_document_not_cancelable', message);
}

/** The municipality rejected the cancellation; `words` is its explanation. */
class CancellationRejected extends ApiError {
  readonly words: string;
  constructor(words: string) {
    super('tax_document_not_cancelable', `The municipality rejected the cancellation: ${words}`);
    this.words = words;
  }
}

const cancellationRejected = (words: string) => new CancellationRejected(toOneLine(words));
