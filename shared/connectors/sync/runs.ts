// Runs: previews, imports, reconciliations and comparisons, one page at a time.
import { WORKER_SESSION } from '../../platform/db/database.ts';
import { DatabaseUnavailable } from '../../platform/db/unavailable.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields } from '../../platform/logger.ts';
import type { RecordKind } from '../crms/crm.ts';
import { isAboutAccount } from '../crms/errors.ts';
import { type RunPhase, runPhases } from '../run-phases.ts';
import { type CrmWork, crmSession, reads } from './account.ts';
import { checkAccount } from './check.ts';
import { predatesImport, readContacts, workOnPending } from './pending.ts';
import { type PreparedRecord, prepare } from './prepare.ts';
import { applyPage, type CrmRun, failRun, nextRun } from './queries.ts';

const KINDS: Partial<Record<RunPhase, RecordKind>> = { leads: 'lead', deals: 'deal', activities: 'activity' };

function hasPhase({ account }: CrmWork, run: CrmRun, phase: RunPhase): boolean {
  const isRepeated = run.kind === 'reconcile' || run.kind === 'compare';
  if (phase === 'checks') return isRepeated;
  const kind = KINDS[phase];
  // What counts begins with the import, so it reads no activities, and a preview neither.
  return kind === undefined || (reads(account, kind) && (kind !== 'activity' || isRepeated));
}

const phaseAfter = (work: CrmWork, run: CrmRun): RunPhase =>
  runPhases.slice(runPhases.indexOf(run.phase) + 1).find((phase) => hasPhase(work, run, phase)) ?? 'done';

/** Reads and applies the next page of the run that comes first. Returns whether the work can go on: there was one, and the account may be used. */
export async function advanceRun(work: CrmWork): Promise<boolean> {
  const { account, dependencies } = work;
  const [row] = await dependencies.database.transaction(WORKER_SESSION, (sql) => nextRun(sql, account.id));
  if (!row?.run) return false;
  const { run } = row;
  try {
    const kind = KINDS[run.phase];
    if (kind) await readPage(work, run, kind);
    // Users and stages first, so that owners and stages of the records are known.
    else if (run.phase === 'users' && !(await checkAccount(work))) return false;
    // What differs and what a comparison has not listed is read again before the run is done.
    else if (run.phase !== 'checks' || !(await workOnPending(work, true)))
      await endPhase(work, run, phaseAfter(work, run));
  } catch (error) {
    // The run goes on when the CRM or the database does. A list that the CRM refuses must not stop webhooks.
    if (isAboutAccount(error) || error instanceof DatabaseUnavailable || work.signal.aborted) throw error;
    dependencies.log.warn('run of a crm failed', {
      account_id: account.id,
      run_id: run.id,
      ...errorFields(error),
    });
    const words = error instanceof Error ? error.message.slice(0, 300) : 'unknown error';
    await dependencies.database.transaction(WORKER_SESSION, (sql) => ({
      failed: failRun(sql, run.id, words),
    }));
  }
  return true;
}

async function endPhase({ account, dependencies }: CrmWork, run: CrmRun, nextPhase: RunPhase): Promise<void> {
  await dependencies.database.transaction(crmSession(account), (sql) =>
    applyPage(sql, run, { kind: null, records: [], nextPhase, nextCursor: null }),
  );
}

async function readPage(work: CrmWork, run: CrmRun, kind: RecordKind): Promise<void> {
  const page = await listPage(work, run, kind);
  if (!page) return;
  const { records, next, hasLeftOut } = page;
  await transactionWithJobs(work.dependencies, crmSession(work.account, run.kind === 'import'), (sql) =>
    applyPage(sql, run, {
      kind,
      records,
      nextPhase: next === null ? phaseAfter(work, run) : run.phase,
      nextCursor: next,
      hasLeftOut,
    }),
  );
}

async function listPage<K extends RecordKind>(
  work: CrmWork,
  run: CrmRun,
  kind: K,
): Promise<{ records: PreparedRecord[]; next: string | null; hasLeftOut: boolean } | undefined> {
  const { account, connection } = work;
  const since = kind === 'activity' ? (run.since ?? account.counts_since) : run.since;
  const page = await connection.list(kind, { since, cursor: run.cursor });
  const { next } = page;
  const importBegan = run.kind === 'import' ? run.started_at : undefined;
  const records = page.records.filter((record) => predatesImport(record, importBegan));
  if (run.kind === 'import' || run.kind === 'reconcile') {
    // The page is read again by the next run of the job.
    if (!(await readContacts(work, kind, records, importBegan))) return undefined;
  }
  const hasLeftOut = records.length < page.records.length;
  return { records: records.map((record) => prepare(kind, record, account.settings)), next, hasLeftOut };
}
