// Canceling an issued tax document, as long as the municipality takes it back. Where its provider asks the city and hears from it
// later, the document stays issued until then.
import type { Context } from '../../platform/access/context.ts';
import { isSqlError } from '../../platform/db/sql-errors.ts';
import { ApiError } from '../../platform/errors.ts';
import { idempotentSteps } from '../idempotency/run-idempotent.ts';
import { expectCancelable } from '../orders/queries.ts';
import { toOneLine } from '../providers/ask-provider.ts';
import {
  type PaymentProvider,
  type Providers,
  type TaxDocumentOrder,
  type TaxDocumentReport,
  taxDocumentsOf,
} from '../providers/provider.ts';
import { cancellationWindowExpired, notFound } from '../requests/errors.ts';
import { taxDocumentOrderOf } from './order.ts';
import {
  markCancelRequested,
  markTaxDocumentCanceled,
  selectTaxDocument,
  selectTaxDocumentToCancel,
  type TaxDocumentIds,
} from './queries.ts';

/** How long an answer waits for a city to decide. */
const CITY_PATIENCE_MS = 3_000;
const ASK_EVERY_MS = 1_000;

export function cancelTaxDocument(
  { tenantId }: Context,
  { reason, ...ids }: TaxDocumentIds & { reason: string | undefined },
  providers: Providers,
) {
  const { id } = ids;
  return idempotentSteps({
    kind: 'tax_document',
    begin: (sql) => selectTaxDocumentToCancel(sql, tenantId, ids),
    async ask([found], { again, askProvider }) {
      if (!found) throw notFound('tax_document');
      const { snapshot: document } = found;
      // An earlier attempt asked, and the city has decided since.
      if (again && document.status === 'canceled') return { canceledBefore: true, decided: true };
      if (document.status !== 'issued') throw notCancelable(document.status);
      if (document.cancel_error) throw refusedByCity(document.cancel_error);
      if (!found.window_open) throw cancellationWindowExpired();
      const provider = await providers.of(document, found.account);
      const order = taxDocumentOrderOf(found.to_issue);
      const report = await askProvider((signal) => askCity(provider, order, signal));
      if (report.cancelRefused !== undefined) throw refusedByCity(report.cancelRefused);
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
      error instanceof CityRefusal
        ? markCancelRequested(sql, tenantId, id, { reason, refused: error.words })
        : [],
    whenRefused: (error) => (isSqlError(error, 'statusChanged') ? notCancelable('canceled') : undefined),
  });
}

/** Asks the city, and waits a little for what it decides. */
async function askCity(
  provider: PaymentProvider,
  order: TaxDocumentOrder,
  signal: AbortSignal,
): Promise<TaxDocumentReport> {
  const until = performance.now() + CITY_PATIENCE_MS;
  let report = await taxDocumentsOf(provider).cancel(order, signal);
  while (report.cancelPending && performance.now() + ASK_EVERY_MS < until) {
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
    report = (await taxDocumentsOf(provider).find(order, signal)) ?? report;
  }
  return report;
}

function notCancelable(status: string): ApiError {
  const message = `The tax document is ${status}; only an issued one can be canceled.`;
  return new ApiError('tax_document_not_cancelable', message);
}

/** What a city said when it did not take a document back. */
class CityRefusal extends ApiError {
  readonly words: string;
  constructor(words: string) {
    super('tax_document_not_cancelable', `The municipality does not take it back: ${words}`);
    this.words = words;
  }
}

const refusedByCity = (words: string) => new CityRefusal(toOneLine(words));
