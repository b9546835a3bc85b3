// Asking for a tax document, and canceling one.
import type { Context } from '../../platform/context.ts';
import type { Sql } from '../../platform/db/database.ts';
import { isSqlError } from '../../platform/db/sql-errors.ts';
import { ApiError } from '../../platform/errors.ts';
import { text } from '../../platform/validation.ts';
import { issueDetails } from '../../platform/zod-issues.ts';
import { metadata, objectOf, oneOf, optional, ourNumberFault } from '../fields.ts';
import {
  type IdempotentOutcome,
  type IdempotentRequest,
  keepSuccess,
  runIdempotent,
} from '../idempotency.ts';
import { invalid } from '../invoices/schema.ts';
import { notFound } from '../not-found.ts';
import { askProvider } from '../providers/ask-provider.ts';
import type { Providers } from '../providers/routing.ts';
import { parseReason } from '../reason.ts';
import {
  cancelTaxDocument as cancelRow,
  insertTaxDocument,
  LIVE_INDEX,
  liveTaxDocument,
  selectForIssue,
  type TaxDocumentRow,
  taxDocumentSnapshot,
  windowExpired,
} from './queries.ts';

export const taxDocumentSchema = objectOf({
  type: oneOf(['nfse', 'nfe', 'peppol']),
  service_code: optional(text({ maxLength: 20, filled: true })).describe(
    'Municipal service code; required for nfse.',
  ),
  metadata: optional(metadata),
}).meta({ id: 'TaxDocumentRequest' });

function parse(body: unknown) {
  const result = taxDocumentSchema.safeParse(body);
  const details = [...(result.success ? [] : issueDetails(result.error, 'body')), ...ourNumberFault(body)];
  if (!result.success || details.length > 0) throw invalid(details);
  const { type, service_code: serviceCode, metadata: extra } = result.data;
  if (type !== 'nfse')
    throw new ApiError('provider_not_configured', `Tax documents of type ${type} are not live yet.`);
  if (!serviceCode) throw invalid([{ field: 'service_code', message: 'is required for nfse' }]);
  return { serviceCode, metadata: extra };
}

interface IssueRow {
  status: string;
  provider: string;
  tax_id: string | null;
  live_id: string | null;
}

const noDocument = (status: string) =>
  new ApiError('conflict', `The invoice is ${status}; it gets no tax document.`);

const exists = () =>
  new ApiError('tax_document_exists', 'The invoice has a tax document that is pending or issued.');

export async function requestTaxDocument(
  context: Context,
  request: IdempotentRequest,
  invoiceId: string,
  body: unknown,
): Promise<IdempotentOutcome> {
  const { tenantId } = context;
  return await runIdempotent(context, request, {
    validate: () => parse(body),
    begin: (sql) => [selectForIssue(sql, tenantId, invoiceId)],
    async complete(attempt, input) {
      const row = attempt.rows[0]?.[0] as IssueRow | undefined;
      if (!row) throw notFound('invoice');
      if (row.status === 'canceled' || row.status === 'failed') throw noDocument(row.status);
      if (row.live_id) throw exists();
      if (!row.tax_id) {
        throw invalid([
          { field: 'customer.tax_id', message: 'is missing on the invoice; a tax document needs it' },
        ]);
      }
      const { provider } = row;
      try {
        return await attempt.finish('tax_document', (sql) => [
          sql`select app.expect_status('invoices', ${invoiceId}, array['open', 'paid'])`,
          insertTaxDocument(sql, tenantId, { ...input, invoiceId, provider }),
          keepSuccess(sql, request, 'tax_document', liveTaxDocument(sql, tenantId, invoiceId)),
        ]);
      } catch (error) {
        if (isSqlError(error, 'statusChanged')) throw noDocument('canceled');
        // Another request made one between our look and our write.
        if (error instanceof Error && 'constraint_name' in error && error.constraint_name === LIVE_INDEX)
          throw exists();
        throw error;
      }
    },
  });
}

export async function cancelTaxDocument(
  context: Context,
  request: IdempotentRequest,
  ids: { invoiceId: string; id: string },
  body: unknown,
  providers: Providers,
): Promise<IdempotentOutcome> {
  const { tenantId, log } = context;
  const { invoiceId, id } = ids;
  return await runIdempotent(context, request, {
    validate: () => parseReason(body),
    begin: (sql) => [taxDocumentSnapshot(sql, tenantId, invoiceId, id)],
    async complete(attempt, reason) {
      const [row] = attempt.rows[0] ?? [];
      const document = row?.snapshot as TaxDocumentRow | undefined;
      if (!document) throw notFound('tax_document');
      if (document.status !== 'issued') throw notCancelable(document.status);
      if (!row?.window_open) throw windowExpired();
      attempt.checkLease();
      await askProvider(log, () => providers.named(document.provider).cancelTaxDocument(id));
      const snapshot = (sql: Sql) =>
        sql`select to_jsonb(d) as snapshot from public.tax_documents d where tenant_id = ${tenantId} and id = ${id}`;
      try {
        return await attempt.finish('tax_document', (sql) => [
          sql`select app.expect_status('tax_documents', ${id}, array['issued'])`,
          cancelRow(sql, tenantId, id, reason),
          keepSuccess(sql, request, 'tax_document', snapshot(sql)),
        ]);
      } catch (error) {
        throw isSqlError(error, 'statusChanged') ? notCancelable('canceled') : error;
      }
    },
  });
}

function notCancelable(status: string): ApiError {
  const message = `The tax document is ${status}; only an issued one can be canceled.`;
  return new ApiError('tax_document_not_cancelable', message);
}
