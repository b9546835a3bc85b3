// Issuing an NFS-e, and following it: what the city decided of it, and of taking it back. Each step is safe to repeat.
import { z } from 'zod';
import { oneRow } from '../../platform/db/database.ts';
import { defineJob, type JobDependencies, type JobHandler, type JobResult } from '../../platform/jobs/job.ts';
import { selectNow } from '../../platform/jobs/queries.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import type { FileStore } from '../../platform/storage/file-store.ts';
import { pdfPath, xmlPath } from '../artifacts/file-paths.ts';
import {
  askProviderInJob,
  firstLookAt,
  isForgotten,
  retryWhenAvailable,
  tenantOf,
} from '../orders/look-up.ts';
import { toOneLine } from '../providers/ask-provider.ts';
import {
  fetchProviderFile,
  InvalidOrder,
  ProviderRejected,
  type Providers,
  type TaxDocumentReport,
  taxDocumentsOf,
} from '../providers/provider.ts';
import { taxDocumentOrderOf } from './order.ts';
import {
  markFailed,
  recordDecision,
  recordIssued,
  recordTaxDocument,
  selectTaxDocumentToIssue,
  type TaxDocumentToIssue,
} from './queries.ts';

/** Issues a pending tax document, and follows it until the city has decided. */
export const createIssueTaxDocument = (providers: Providers, files: FileStore): JobHandler =>
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
  const { documents, clock } = await dependencies.database.transaction(session, (sql) => ({
    documents: selectTaxDocumentToIssue(sql, tenantId, id),
    clock: selectNow(sql),
  }));
  const [found] = documents;
  if (!found) return 'done';
  if (isForgotten(found.document, found)) {
    await transactionWithJobs(dependencies, session, (sql) =>
      markFailed(sql, tenantId, id, 'The account at the provider was disconnected.'),
    );
    return 'done';
  }
  const report = await reportOf(found, providers, dependencies);
  if (!report) return 'done';
  const changedMeanwhile = !(await applyTaxDocumentReport(found, report, providers, files, dependencies));
  // Canceled while it was being issued: the municipality has to hear of that as well.
  if (changedMeanwhile) return { againInSeconds: 0 };
  const over = report.status !== 'pending' && !report.cancelPending;
  return over ? 'done' : { againAt: firstLookAt(found.document.created, oneRow(clock).now) };
}

/** What became of a document: it is issued where it is pending and not there yet, and taken back where it was canceled meanwhile. */
async function reportOf(
  found: TaxDocumentToIssue,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<TaxDocumentReport | undefined> {
  const { document } = found;
  const order = taxDocumentOrderOf(found);
  const session = { role: 'worker', tenantId: document.tenant_id } as const;
  try {
    return await askProviderInJob(document, found, providers, dependencies, async (provider, signal) => {
      // Also where it is there: an earlier attempt may have ended before it was sent to the city.
      if (document.status === 'pending') return await taxDocumentsOf(provider).issue(order, signal);
      const there = await taxDocumentsOf(provider).find(order, signal);
      if (document.status === 'canceled' && there && there.status !== 'canceled' && !there.cancelPending)
        return await taxDocumentsOf(provider).cancel(order, signal);
      return there;
    });
  } catch (error) {
    // Asked again it says the same: the document has failed.
    if (
      document.status !== 'pending' ||
      !(error instanceof ProviderRejected || error instanceof InvalidOrder)
    )
      throw error;
    const why = toOneLine(error.message);
    await transactionWithJobs(dependencies, session, (sql) =>
      markFailed(sql, document.tenant_id, document.id, why),
    );
    return undefined;
  }
}

/** Gives false when somebody else changed the document before it was noted as issued. */
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
    const why = toOneLine(report.reason ?? 'The municipality refused it.');
    await transactionWithJobs(dependencies, session, (sql) => markFailed(sql, tenantId, id, why));
    return true;
  }
  const { issued } = report;
  if (issued && found.document.status === 'pending') {
    await askProviderInJob(found.document, found, providers, dependencies, async (provider, signal) => {
      await files.put(
        xmlPath(tenantId, id),
        await fetchProviderFile(provider, issued.xmlUrl, signal),
        'application/xml',
      );
      await files.put(
        pdfPath(tenantId, id),
        await fetchProviderFile(provider, issued.pdfUrl, signal),
        'application/pdf',
      );
    });
    const [noted] = await transactionWithJobs(dependencies, session, (sql) =>
      recordIssued(sql, tenantId, id, issued),
    );
    if (!noted) return false;
  }
  await transactionWithJobs(dependencies, session, (sql) => recordDecision(sql, tenantId, id, report));
  return true;
}
