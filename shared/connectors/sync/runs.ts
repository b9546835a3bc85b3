// Runs: previews, imports, reconciliations and comparisons, one page at a time.
import { WORKER_SESSION } from '../../platform/db/database.ts';
import { DatabaseUnavailable } from '../../platform/db/unavailable.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields } from '../../platform/logger.ts';
import type { RecordKind } from '../crms/crm.ts';
import { isAboutAccount } from '../crms/errors.ts';
import { type CrmWork, crmSession, reads } from './account.ts';
import { checkAccount } from './check.ts';
import { isImported, readContacts } from './pending.ts';
import { type PreparedRecord, prepare } from './prepare.ts';
import { applyPage, type CrmRun, failRun, nextRun, type Phase } from './queries.ts';

const PHASES = [
  { phase: 'leads', kind: 'lead' },
  { phase: 'deals', kind: 'deal' },
  { phase: 'activities', kind: 'activity' },
] as const;

/** The phases of a run. What counts begins with the import, so it reads no activities, and a preview neither. */
const phasesOf = ({ account }: CrmWork, { kind: run }: CrmRun) =>
  PHASES.filter(
    ({ kind }) => reads(account, kind) && !(kind === 'activity' && (run === 'preview' || run === 'import')),
  );

/** The phase after `phase`. */
function phaseAfter(work: CrmWork, run: CrmRun): Phase {
  const phases = phasesOf(work, run);
  const place = phases.findIndex(({ phase }) => phase === run.phase);
  return phases[place + 1]?.phase ?? 'done';
}

/** Reads and applies the next page of the run that comes first. Returns whether the work can go on: there was one, and the account may be used. */
export async function advanceRun(work: CrmWork): Promise<boolean> {
  const { account, dependencies } = work;
  const [row] = await dependencies.database.transaction(WORKER_SESSION, (sql) => nextRun(sql, account.id));
  if (!row?.run) return false;
  const { run } = row;
  try {
    if (run.phase === 'users') return await beginRun(work, run);
    await readPage(work, run);
  } catch (error) {
    // The run goes on when the database does.
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

/** Users and stages first, so that owners and stages of the records are known. */
async function beginRun(work: CrmWork, run: CrmRun): Promise<boolean> {
  if (!(await checkAccount(work))) return false;
  await work.dependencies.database.transaction(crmSession(work.account), (sql) =>
    applyPage(sql, run, { kind: null, records: [], nextPhase: phaseAfter(work, run), nextCursor: null }),
  );
  return true;
}

async function readPage(work: CrmWork, run: CrmRun): Promise<void> {
  const kind = PHASES.find(({ phase }) => phase === run.phase)?.kind;
  if (!kind) return;
  const page = await listPage(work, run, kind);
  if (!page) return;
  const { records, next } = page;
  await transactionWithJobs(work.dependencies, crmSession(work.account, run.kind === 'import'), (sql) =>
    applyPage(sql, run, {
      kind,
      records,
      nextPhase: next === null ? phaseAfter(work, run) : run.phase,
      nextCursor: next,
    }),
  );
}

async function listPage<K extends RecordKind>(
  work: CrmWork,
  run: CrmRun,
  kind: K,
): Promise<{ records: PreparedRecord[]; next: string | null } | undefined> {
  const { account, connection } = work;
  const since = kind === 'activity' ? (run.since ?? account.counts_since) : run.since;
  const page = await connection.list(kind, { since, cursor: run.cursor });
  const { next } = page;
  const importBegan = run.kind === 'import' ? run.started_at : undefined;
  const records = page.records.filter((record) => isImported(record, importBegan));
  if (run.kind === 'import' || run.kind === 'reconcile') {
    // The page is read again by the next run of the job.
    if (!(await readContacts(work, kind, records, importBegan))) return undefined;
  }
  return { records: records.map((record) => prepare(kind, record, account.settings)), next };
}
