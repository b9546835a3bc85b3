// The job of an account at a CRM. One worker at a time works on an account, so its requests keep the vendor's limits and its order.
import { z } from 'zod';
import { WORKER_SESSION } from '../../platform/db/database.ts';
import {
  type ClaimedJob,
  defineJob,
  type JobDependencies,
  type JobHandler,
} from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields } from '../../platform/logger.ts';
import type { Pacer } from '../crms/crm-http.ts';
import { CrmBusy, CrmCredentialsRejected, CrmUnreachable } from '../crms/errors.ts';
import { crmNamed } from '../registry.ts';
import {
  type CrmAccount,
  type CrmsEnv,
  type CrmWork,
  connectAccount,
  keepAccess,
  pacerOf,
} from './account.ts';
import { checkAccount, endAccount } from './check.ts';
import { workOnPending } from './pending.ts';
import { beginWork, endWork, failAccount, type Intervals, pauseRequests } from './queries.ts';
import { advanceRun } from './runs.ts';

/** How long a worker stays with an account. With the request in progress and the pause after a kill, a run goes on within a minute. */
const WORK_MS = 6_000;
/** When it begins no further request to write, and no further group of contacts: both take a few seconds of the lease. */
const LAST_STEP_MS = 12_000;
const LEASE_SECONDS = 24;
/** Waits after a limit without a time, and after failures, in seconds. */
const FIRST_WAIT = { busy: 10, unreachable: 2 } as const;
const MAX_WAIT_SECONDS = 600;

export const createSyncCrmJob = (env: CrmsEnv): JobHandler =>
  defineJob({
    name: 'sync-crm',
    payload: z.object({ account_id: z.string() }),
    leaseSeconds: LEASE_SECONDS,
    async run({ account_id: id }, job, dependencies) {
      const { database } = dependencies;
      const every: Intervals = {
        reconcileSeconds: env.CRM_RECONCILE_SECONDS,
        compareSeconds: env.CRM_COMPARE_SECONDS,
        pollSeconds: env.CRM_POLL_SECONDS,
      };
      const [row] = await database.transaction(WORKER_SESSION, (sql) =>
        beginWork(sql, id, env.FUNCTIONS_URL, every),
      );
      if (!row?.account) return 'done';
      const pacer = pacerOf(row.account);
      if (row.account.may_work || row.account.is_disconnecting)
        await workOnAccount(row.account, { env, pacer }, job, dependencies);
      if (row.account.keeps_access) await keepAccess(row.account, env, dependencies);
      const [end] = await database.transaction(WORKER_SESSION, (sql) =>
        endWork(sql, id, { job, every, requestsFreeAt: new Date(pacer.freeAtMs()) }),
      );
      return end?.again_at ? { againAt: end.again_at } : 'done';
    },
  });

async function workOnAccount(
  account: CrmAccount,
  { env, pacer }: { env: CrmsEnv; pacer: Pacer },
  job: ClaimedJob,
  dependencies: JobDependencies,
): Promise<void> {
  const readsAtOnce = crmNamed(account.crm)?.readsAtOnce ?? 1;
  const startedAtMs = performance.now();
  try {
    const { connection, budget } = await connectAccount(account, env, dependencies, {
      signal: job.signal,
      pacer,
    });
    const hasTime = () => performance.now() - startedAtMs < LAST_STEP_MS;
    const work: CrmWork = {
      ...{ account, readsAtOnce, connection, dependencies },
      ...{ signal: job.signal, hasTime },
    };
    if (account.is_disconnecting) return await endAccount(work);
    if (account.needs_check && !(await checkAccount(work))) return;
    if (account.has_work) await announceAgain(job, dependencies);
    const isImported = account.imported_at !== null;
    while (performance.now() - startedAtMs < WORK_MS) {
      // The rest of the day is for other programs.
      budget.expectLeft();
      // Webhooks come before runs.
      const isBusy =
        (isImported && (await workOnPending(work))) ||
        (await advanceRun(work)) ||
        (isImported && (await workOnPending(work, true)));
      if (!isBusy) return;
    }
  } catch (error) {
    // The job's time is over, which says nothing about the CRM: what is done is kept, and it goes on at once. A check begins again.
    if (job.signal.aborted && !account.needs_check)
      dependencies.log.info('work on a crm goes on later', { account_id: account.id });
    else await recordTrouble(account, error, dependencies);
  }
}

/** If this worker is killed, another one goes on as soon as the claim is over. */
async function announceAgain({ id, name }: ClaimedJob, { queue, log }: JobDependencies): Promise<void> {
  await queue.publish([{ name, id, waitSeconds: LEASE_SECONDS + 2 }], log);
}

async function recordTrouble(
  account: CrmAccount,
  error: unknown,
  dependencies: JobDependencies,
): Promise<void> {
  const { database, log } = dependencies;
  log.warn('work on a crm stopped', { account_id: account.id, ...errorFields(error) });
  if (error instanceof CrmCredentialsRejected) {
    // With the mail to the tenant's owner.
    await transactionWithJobs(dependencies, WORKER_SESSION, (sql) =>
      failAccount(sql, account.id, error.message),
    );
    return;
  }
  const isAborted = error instanceof DOMException;
  if (!(error instanceof CrmBusy || error instanceof CrmUnreachable || isAborted)) throw error;
  const told = error instanceof CrmBusy ? error.retryAfterSeconds : undefined;
  const first = error instanceof CrmBusy ? FIRST_WAIT.busy : FIRST_WAIT.unreachable;
  const seconds = told ?? Math.min(MAX_WAIT_SECONDS, first * 2 ** account.failures);
  const failures = told === undefined ? account.failures + 1 : account.failures;
  const words = isAborted
    ? 'The check takes more than one run of the job, and continues.'
    : error.message.slice(0, 300);
  await database.transaction(WORKER_SESSION, (sql) => ({
    paused: pauseRequests(sql, account.id, { seconds, failures, words }),
  }));
}
