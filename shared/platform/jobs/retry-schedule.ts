// Retry schedules of jobs and webhook deliveries, and the jitter of their waits.
import { createHash } from 'node:crypto';
import { DatabaseUnavailable } from '../db/unavailable.ts';
import { errorFields, type Logger } from '../logger.ts';
import { JobFailure } from './job.ts';
import type { Failure } from './queries.ts';

/** Seconds to wait after the first failed attempt, the second, and so on. There is no retry after the last entry. */
export type RetrySchedule = readonly number[];

/** Waits up to this many seconds have no jitter. */
const MAX_EXACT_SECONDS = 5;

/** A number from 0 to 2^32 - 1 that depends only on the text. */
export const hashOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0);

/**
 * Multiplies a wait by 0.8 to 1.2 and returns whole seconds, so that work that failed together is not retried together. The factor depends
 * only on the id and the number of failures, so computing it again gives the same wait. `private.add_jitter` does the same in SQL.
 */
export function jitter(seconds: number, { id, failures }: { id: string; failures: number }): number {
  if (seconds <= MAX_EXACT_SECONDS) return seconds;
  const least = Math.ceil((seconds * 4) / 5);
  const most = Math.floor((seconds * 6) / 5);
  return least + (hashOf(`${id}:${failures}`) % (most - least + 1));
}

/** Consecutive failures after which a job fails permanently. */
export const MAX_FAILURES = 10;
/** Waits double from 5 seconds up to an hour. */
const RETRY_SECONDS: RetrySchedule = Array.from({ length: MAX_FAILURES - 1 }, (_, n) =>
  Math.min(3600, 5 * 2 ** n),
);

/** Decides whether and when to retry after an error, and logs it. `failures` is the number of consecutive failures before this one. */
export function planRetry(
  error: unknown,
  { id, failures }: { id: string; failures: number },
  log: Logger,
): Failure {
  const message = error instanceof Error ? error.message : String(error);
  // An unavailable database is not the job's fault, so the attempt does not count.
  const counts = !(error instanceof DatabaseUnavailable);
  const wait = counts ? RETRY_SECONDS[failures] : (error.retryAfterSeconds ?? 1);
  const retryInSeconds =
    error instanceof JobFailure || wait === undefined ? null : jitter(wait, { id, failures });
  if (retryInSeconds === null) log.error('job failed permanently', errorFields(error));
  else log.warn('job failed, will be retried', { retry_in_seconds: retryInSeconds, ...errorFields(error) });
  return { message, retryInSeconds, counts };
}
