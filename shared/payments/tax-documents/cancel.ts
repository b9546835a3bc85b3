// Cancels an issued tax document within the municipality's cancellation window. If the municipality decides later, the document
// stays issued until then.
import type { Context } from '../../platform/access/context.ts';
import type { Sql } from '../../platform/db/database.ts';
import { isSqlError } from '../../platform/db/sql-errors.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Attempt, Completed } from '../idempotency/with-idempotency-key.ts';
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

/** Throws `not_found`, `tax_document_not_cancelable`, `cancellation_window_expired` and `provider_error`. */
export async function cancelTaxDocument(
  { tenantId }: Context,
  attempt: Attempt,
  { reason, ...ids }: TaxDocumentIds & { reason: string | undefined },
  providers: Providers,
): Promise<Completed> {
  const { id } = ids;
  const {
    documents: [found],
  } = await attempt.begin((sql) => ({
    documents: selectTaxDocumentToCancel(sql, tenantId, ids),
    check: checkCanceledDocuments(sql, ids.invoiceId),
  }));
  if (!found) throw notFound('tax_document');
  const { snapshot: document } = found;
  const success = {
    kind: 'tax_document' as const,
    snapshot: (sql: Sql) => selectTaxDocument(sql, tenantId, ids),
  };
  attempt.onFailure((sql, error) =>
    error instanceof CancellationRejected
      ? markCancelRequested(sql, tenantId, id, { reason, refused: error.words })
      : [],
  );
  // The municipality decided after an earlier attempt requested the cancellation.
  if (attempt.isRetry && document.status === 'canceled') return await attempt.complete(() => [], success);
  if (document.status !== 'issued') throw notCancelable(document.status);
  if (document.cancel_error) throw cancellationRejected(document.cancel_error);
  if (!found.window_open) throw cancellationWindowExpired();

  const provider = await providers.of(document, found.account);
  const order = taxDocumentOrderOf(found.to_issue);
  const report = await attempt.callProvider((signal) => requestCancellation(provider, order, signal));
  if (report.cancelRejectionMessage !== undefined) throw cancellationRejected(report.cancelRejectionMessage);
  const isDecided = report.status === 'canceled';

  try {
    return await attempt.complete(
      (sql) => ({
        expected: expectCancelable(sql, 'tax_document', { tenantId, id }, ['issued']),
        document: isDecided
          ? markTaxDocumentCanceled(sql, tenantId, id, reason)
          : markCancelRequested(sql, tenantId, id, { reason, refused: undefined }),
      }),
      { ...success, status: isDecided ? undefined : 202 },
    );
  } catch (error) {
    throw isSqlError(error, 'statusChanged') ? notCancelable('canceled') : error;
  }
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
