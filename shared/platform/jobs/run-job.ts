// Doing one job: claim the row, do the work, record the outcome.
import { WORKER_SESSION } from '../db/database.ts';
import { DatabaseUnavailable } from '../db/unavailable.ts';
import { errorFields, type Logger } from '../logger.ts';
import { isUuid } from '../uuid.ts';
import { type ClaimedJob, type JobDependencies, JobFailure, type JobHandler, type JobResult } from './job.ts';
import { claimJob, type Failure, failJob, finishJob, postponeJob } from './queries.ts';
import { doublingSchedule, waitAfter } from './retry-schedule.ts';

/** Failures in a row after which a job is given up. */
export const MAX_FAILURES = 10;
const retries = doublingSchedule({ firstSeconds: 5, maxSeconds: 3600, tries: MAX_FAILURES });

/** How much of a claim the work may take; the rest is for recording what came of it. */
const WORKING_SHARE = 0.8;

export type JobOutcome = 'done' | 'not_due' | 'again' | 'retry' | 'given_up';

/** Does the job with this id unless it is done, not due yet, or in other hands. Does not throw for a failing handler. */
export async function runJob(
  handler: JobHandler,
  id: string,
  dependencies: JobDependencies,
): Promise<JobOutcome> {
  const { database, queue } = dependencies;
  const [row] = await database.transaction(WORKER_SESSION, (sql) =>
    claimJob(sql, id, handler.name, handler.leaseSeconds),
  );
  if (!row) return 'not_due';
  const { tenant_id: tenantId, name, payload, attempts, failures } = row;
  const signal = AbortSignal.timeout(handler.leaseSeconds * 1000 * WORKING_SHARE);
  const job: ClaimedJob = { id, tenantId, name, payload, attempts, failures, signal };
  const log = dependencies.log.with({ job: handler.name, job_id: id, attempt: attempts });
  let result: JobResult;
  try {
    result = await handler.run(payload, job, { database, queue, log });
  } catch (error) {
    return await recordFailure(job, error, { database, queue, log });
  }
  if (result !== 'done') {
    const again = result;
    const [postponed] = await database.transaction(WORKER_SESSION, (sql) =>
      postponeJob(sql, id, attempts, again),
    );
    if (postponed) await queue.publish([{ name, id, waitSeconds: postponed.wait_seconds }], log);
    return 'again';
  }
  const forget = handler.forgetsPayload ?? false;
  const finished = await database.transaction(WORKER_SESSION, (sql) => finishJob(sql, id, attempts, forget));
  if (finished.length === 0) log.warn('job outlived its lease; another run of it counts');
  return 'done';
}

async function recordFailure(
  { id, name, attempts, failures }: ClaimedJob,
  error: unknown,
  { database, queue, log }: JobDependencies,
): Promise<JobOutcome> {
  const failure = judgeFailure(error, failures, log);
  const { retryInSeconds } = failure;
  await database.transaction(WORKER_SESSION, (sql) => failJob(sql, id, attempts, failure));
  if (retryInSeconds === null) return 'given_up';
  await queue.publish([{ name, id, waitSeconds: retryInSeconds }], log);
  return 'retry';
}

/** What a failed try leads to, after this many failures before it; logs it. */
export function judgeFailure(error: unknown, failures: number, log: Logger): Failure {
  const message = error instanceof Error ? error.message : String(error);
  // The database's troubles are not the job's: it goes on where it was once the database is back.
  const counts = !(error instanceof DatabaseUnavailable);
  const wait = counts ? waitAfter(retries, failures + 1) : (error.retryAfterSeconds ?? 1);
  const retryInSeconds = error instanceof JobFailure ? null : wait;
  if (retryInSeconds === null) log.error('job given up', errorFields(error));
  else
    log.warn('job failed, will be tried again', { retry_in_seconds: retryInSeconds, ...errorFields(error) });
  return { message, retryInSeconds, counts };
}

/** The row that a message is about; undefined when it names none. */
export const idOfMessage = ({ id }: Record<string, unknown>): string | undefined =>
  typeof id === 'string' && isUuid(id) ? id : undefined;
