// Doing one job: claim the row, do the work, record the outcome.
import { z } from 'zod';
import { errorFields } from '../logging/logger.ts';
import { type ClaimedJob, JobFailure, type JobHandler, type JobResult, type JobTools } from './job.ts';
import { claimJob, failJob, finishJob, postponeJob } from './queries.ts';

const MAX_FAILURES = 10;
const MAX_RETRY_SECONDS = 3600;
const session = { role: 'worker', tenantId: null } as const;

export type JobOutcome = 'done' | 'not_due' | 'again' | 'retry' | 'given_up';

/** Does the job with this id unless it is done, not due yet, or in other hands. Does not throw for a failing handler. */
export async function runJob(handler: JobHandler, id: string, tools: JobTools): Promise<JobOutcome> {
  const { database, queue } = tools;
  const [rows] = await database.transaction(session, (sql) => [
    claimJob(sql, id, handler.name, handler.leaseSeconds),
  ]);
  const [row] = rows ?? [];
  if (!row) return 'not_due';
  const { tenant_id: tenantId, name, payload, attempts, failures, lane } = row;
  const job: ClaimedJob = { id, tenantId, name, payload, attempts, failures, lane };
  const log = tools.log.with({ job: handler.name, job_id: id, attempt: attempts });
  let result: JobResult;
  try {
    result = await handler.run(payload, job, { database, queue, log });
  } catch (error) {
    return await recordFailure(job, error, { database, queue, log });
  }
  if (result !== 'done') {
    const { againAt } = result;
    await database.transaction(session, (sql) => [postponeJob(sql, id, attempts, againAt)]);
    await queue.wake([{ name, id, lane, at: againAt }], log);
    return 'again';
  }
  const [finished] = await database.transaction(session, (sql) => [finishJob(sql, id, attempts)]);
  if (finished?.length === 0) log.warn('job outlived its lease; another run of it counts');
  return 'done';
}

async function recordFailure(
  { id, name, attempts, failures, lane }: ClaimedJob,
  error: unknown,
  { database, queue, log }: JobTools,
): Promise<JobOutcome> {
  const hopeless = error instanceof JobFailure || error instanceof z.ZodError || failures + 1 >= MAX_FAILURES;
  const retryInSeconds = hopeless ? null : Math.min(MAX_RETRY_SECONDS, 5 * 2 ** failures);
  const message = error instanceof Error ? error.message : String(error);
  await database.transaction(session, (sql) => [failJob(sql, id, attempts, message, retryInSeconds)]);
  if (retryInSeconds === null) {
    log.error('job given up', errorFields(error));
    return 'given_up';
  }
  log.warn('job failed, will be tried again', { retry_in_seconds: retryInSeconds, ...errorFields(error) });
  await queue.wake([{ name, id, lane, at: new Date(Date.now() + retryInSeconds * 1000) }], log);
  return 'retry';
}

/** A job's message: the row it is about. */
export const jobMessage = z.object({ id: z.uuid() });
