// Issues an NFS-e and polls for the municipality's decisions on it and on its cancellation. Every step is idempotent.
import { z } from 'zod';
import {
  defineJob,
  type JobDependencies,
  type JobHandler,
  type JobResult,
  tenantOf,
} from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import type { FileStore } from '../../platform/storage/file-store.ts';
import { pdfPath, xmlPath } from '../artifacts/file-paths.ts';
import {
  callProviderInJob,
  earlyLookupWaitSeconds,
  isAccountDisconnected,
  retryWhenAvailable,
  sendInJob,
} from '../orders/look-up.ts';
import { InvalidOrder, isRejection, toOneLine } from '../providers/errors.ts';
import { fetchProviderFile, type Providers, taxDocumentsOf } from '../providers/provider.ts';
import type { TaxDocumentReport } from '../providers/tax-document-port.ts';
import { taxDocumentOrderOf, taxOrderErrors } from './order.ts';
import {
  markFailed,
  recordDecision,
  recordIssued,
  recordTaxDocument,
  selectTaxDocumentToIssue,
  type TaxDocumentToIssue,
} from './queries.ts';

const MAX_REASON_LENGTH = 500;

/** Issues a pending tax document and polls it until the municipality has decided. */
export const createIssueTaxDocumentJob = (providers: Providers, files: FileStore): JobHandler =>
  defineJob({
    name: 'issue-tax-document',
    payload: z.object({ tax_document_id: z.string() }),
    leaseSeconds: 60,
    run: ({ tax_document_id: id }, job, dependencies) =>
      issueTaxDocument({ tenantId: tenantOf(job), id }, dependencies, providers, files).catch((error) =>
        retryWhenAvailable(error, job, dependencies.log),
      ),
  });

export async function issueTaxDocument(
  { tenantId, id }: { tenantId: string; id: string },
  dependencies: JobDependencies,
  providers: Providers,
  files: FileStore,
): Promise<JobResult> {
  const session = { role: 'worker', tenantId } as const;
  const [found] = await dependencies.database.transaction(session, (sql) =>
    selectTaxDocumentToIssue(sql, tenantId, id),
  );
  if (!found) return 'done';
  if (isAccountDisconnected(found.document, found)) {
    await transactionWithJobs(dependencies, session, (sql) =>
      markFailed(sql, tenantId, id, 'The provider account was disconnected.'),
    );
    return 'done';
  }
  const report = await reportOf(found, providers, dependencies);
  if (!report) return 'done';
  const changedMeanwhile = !(await applyTaxDocumentReport(found, report, providers, files, dependencies));
  // The document was canceled while it was being issued, so it must be canceled at the municipality too.
  if (changedMeanwhile) return { retryInSeconds: 0 };
  const over = report.status !== 'pending' && !report.cancelPending;
  return over ? 'done' : { retryInSeconds: earlyLookupWaitSeconds(found.document.created, found.now) };
}

/** The document's state at the provider. Issues a pending document; cancels one that was canceled after it was sent. */
async function reportOf(
  found: TaxDocumentToIssue,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<TaxDocumentReport | undefined> {
  const { document } = found;
  const order = taxDocumentOrderOf(found);
  const session = { role: 'worker', tenantId: document.tenant_id } as const;
  try {
    return await callProviderInJob(document, found, providers, dependencies, async (provider, signal) => {
      // Even if the provider has the document: an earlier attempt may have stopped before the submission to the municipality.
      if (document.status === 'pending') {
        const faults = faultsOf(found);
        // A document that the provider already has was complete when it was sent.
        if (faults.length > 0 && !(await taxDocumentsOf(provider).find(order, signal)))
          throw new InvalidOrder(faults);
        return await sendInJob(document, found, dependencies, () =>
          taxDocumentsOf(provider).issue(order, signal),
        );
      }
      const existing = await taxDocumentsOf(provider).find(order, signal);
      const isLive = existing && existing.status !== 'canceled' && !existing.cancelPending;
      return document.status === 'canceled' && isLive
        ? await taxDocumentsOf(provider).cancel(order, signal)
        : existing;
    });
  } catch (error) {
    // A retry would be rejected as well, so the document fails.
    if (document.status !== 'pending' || !isRejection(error)) throw error;
    const why = toOneLine(error.message, MAX_REASON_LENGTH);
    await transactionWithJobs(dependencies, session, (sql) =>
      markFailed(sql, document.tenant_id, document.id, why),
    );
    return undefined;
  }
}

/** Members that became required after the document was requested, because settings or dated rules changed. */
function faultsOf({ tax_order: order, document, invoice }: TaxDocumentToIssue) {
  const address = document.customer_address ?? invoice.customer.address;
  return order ? taxOrderErrors(order, address, { taxes: 'taxes', address: 'customer.address' }) : [];
}

/** Returns false if the document changed before it could be recorded as issued. */
async function applyTaxDocumentReport(
  found: TaxDocumentToIssue,
  report: TaxDocumentReport,
  providers: Providers,
  files: FileStore,
  dependencies: JobDependencies,
): Promise<boolean> {
  const { tenant_id: tenantId, id } = found.document;
  const session = { role: 'worker', tenantId } as const;
  await transactionWithJobs(dependencies, session, (sql) =>
    recordTaxDocument(sql, tenantId, id, report.providerReference),
  );
  if (report.status === 'failed') {
    const why = toOneLine(report.reason ?? 'The municipality rejected the tax document.', MAX_REASON_LENGTH);
    await transactionWithJobs(dependencies, session, (sql) => markFailed(sql, tenantId, id, why));
    return true;
  }
  const { issued } = report;
  if (issued && found.document.status === 'pending') {
    await callProviderInJob(found.document, found, providers, dependencies, async (provider, signal) => {
      const xml = await fetchProviderFile(provider, issued.xmlUrl, signal);
      await files.put(xmlPath(tenantId, id), xml, 'application/xml');
      const pdf = await fetchProviderFile(provider, issued.pdfUrl, signal);
      await files.put(pdfPath(tenantId, id), pdf, 'application/pdf');
    });
    const [noted] = await transactionWithJobs(dependencies, session, (sql) =>
      recordIssued(sql, tenantId, id, issued),
    );
    if (!noted) return false;
  }
  await transactionWithJobs(dependencies, session, (sql) => recordDecision(sql, tenantId, id, report));
  return true;
}
