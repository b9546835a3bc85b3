// Runs one job: claims the row, does the work and records the outcome.
import { WORKER_SESSION } from '../db/database.ts';
import { continueTrace, traceField } from '../tracing/scope.ts';
import type { ClaimedJob, JobDependencies, JobHandler, JobResult } from './job.ts';
import { type ClaimedRow, claimJob, failJob, finishJob, postponeJob } from './queries.ts';
import { jitter, planRetry } from './retry-schedule.ts';

/** The share of the lease that the work may use. The rest is for recording the outcome. */
const WORKING_SHARE = 0.8;

type JobOutcome = 'done' | 'not_due' | 'again' | 'retry' | 'given_up';

/** Runs the job with this id unless it is done, not due yet, or claimed by another worker. Does not throw if the handler fails. */
export async function runJob(
  handler: JobHandler,
  id: string,
  dependencies: JobDependencies,
): Promise<JobOutcome> {
  const { database } = dependencies;
  const [row] = await database.transaction(WORKER_SESSION, (sql) =>
    claimJob(sql, id, handler.name, handler.leaseSeconds),
  );
  if (!row) return 'not_due';
  return await continueTrace(row.traceparent, 'consumer', `job ${row.name}`, async (span) => {
    span?.set('placar.tenant_id', row.tenant_id).set('placar.job.attempt', row.attempts);
    const outcome = await runClaimed(handler, row, dependencies);
    if (outcome === 'retry' || outcome === 'given_up') span?.fail(outcome);
    return outcome;
  });
}

async function runClaimed(
  handler: JobHandler,
  { id, tenant_id: tenantId, name, payload, attempts, failures, traceparent }: ClaimedRow,
  dependencies: JobDependencies,
): Promise<JobOutcome> {
  const { database, queue } = dependencies;
  const signal = AbortSignal.timeout(handler.leaseSeconds * 1000 * WORKING_SHARE);
  const job: ClaimedJob = { id, tenantId, name, payload, attempts, failures, signal };
  const log = dependencies.log.with({ job: name, job_id: id, attempt: attempts, ...traceField() });
  let result: JobResult;
  try {
    result = await handler.run(payload, job, { database, queue, log });
  } catch (error) {
    return await recordFailure({ ...job, traceparent }, error, { database, queue, log });
  }
  if (result !== 'done') {
    const again =
      'retryInSeconds' in result ? { retryInSeconds: jitter(result.retryInSeconds, job) } : result;
    const [postponed] = await database.transaction(WORKER_SESSION, (sql) =>
      postponeJob(sql, id, attempts, again),
    );
    const isAnnounced = !('waitsForSweep' in result);
    if (postponed && isAnnounced)
      await queue.publish([{ name, id, waitSeconds: postponed.wait_seconds, traceparent }], log);
    return 'again';
  }
  const forget = handler.deletesPayload ?? false;
  const finished = await database.transaction(WORKER_SESSION, (sql) => finishJob(sql, id, attempts, forget));
  if (finished.length === 0) log.warn('job exceeded its lease; the result of a later run counts');
  return 'done';
}

async function recordFailure(
  job: ClaimedJob & Pick<ClaimedRow, 'traceparent'>,
  error: unknown,
  { database, queue, log }: JobDependencies,
): Promise<JobOutcome> {
  const { id, name, attempts, traceparent } = job;
  const failure = planRetry(error, job, log);
  const { retryInSeconds } = failure;
  await database.transaction(WORKER_SESSION, (sql) => failJob(sql, id, attempts, failure));
  if (retryInSeconds === null) return 'given_up';
  // Pass on only the stored trace. If there is none, each run begins its own, because a periodic job's trace would never end.
  await queue.publish([{ name, id, waitSeconds: retryInSeconds, traceparent }], log);
  return 'retry';
}
