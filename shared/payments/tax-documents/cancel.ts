// Canceling an issued tax document, as long as the municipality takes it back.
import type { Context } from '../../platform/context.ts';
import { isSqlError } from '../../platform/db/sql-errors.ts';
import { ApiError } from '../../platform/errors.ts';
import { cancellationWindowExpired, notFound } from '../domain-errors.ts';
import { idempotentSteps } from '../idempotency.ts';
import { askProvider } from '../providers/ask-provider.ts';
import type { Providers } from '../providers/routing.ts';
import {
  expectTaxDocumentStatus,
  markTaxDocumentCanceled,
  selectTaxDocument,
  selectTaxDocumentToCancel,
  type TaxDocumentIds,
} from './queries.ts';

export function cancelTaxDocument(
  { tenantId }: Context,
  { reason, ...ids }: TaxDocumentIds & { reason: string | undefined },
  providers: Providers,
) {
  const { id } = ids;
  return idempotentSteps({
    kind: 'tax_document',
    begin: (sql) => [selectTaxDocumentToCancel(sql, tenantId, ids)],
    async ask([[found]], { log, checkLease }) {
      if (!found) throw notFound('tax_document');
      const { status, provider: name } = found.snapshot;
      if (status !== 'issued') throw notCancelable(status);
      if (!found.window_open) throw cancellationWindowExpired();
      const provider = providers.named(name);
      checkLease();
      await askProvider(log, () => provider.cancelTaxDocument(id));
    },
    complete: (sql) => [
      expectTaxDocumentStatus(sql, id, ['issued']),
      markTaxDocumentCanceled(sql, tenantId, id, reason),
    ],
    snapshot: (sql) => selectTaxDocument(sql, tenantId, ids),
    whenRefused: (error) => (isSqlError(error, 'statusChanged') ? notCancelable('canceled') : undefined),
  });
}

function notCancelable(status: string): ApiError {
  const message = `The tax document is ${status}; only an issued one can be canceled.`;
  return new ApiError('tax_document_not_cancelable', message);
}
