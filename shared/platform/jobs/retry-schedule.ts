// Retry schedules of jobs and webhook deliveries, and the jitter of their waits.
import { createHash } from 'node:crypto';

/** Seconds to wait after the first failed attempt, the second, and so on. There is no retry after the last entry. */
export type RetrySchedule = readonly number[];

/** Returns delays that double from `firstSeconds` up to `maxSeconds`. `tries` includes the first attempt. */
export function doublingSchedule(options: {
  firstSeconds: number;
  maxSeconds: number;
  tries: number;
}): RetrySchedule {
  const { firstSeconds, maxSeconds, tries } = options;
  return Array.from({ length: tries - 1 }, (_, i) => Math.min(maxSeconds, firstSeconds * 2 ** i));
}

/** Returns the seconds until the next attempt after this many consecutive failures; null if there are no more attempts. */
export const waitAfter = (schedule: RetrySchedule, failures: number): number | null =>
  schedule[failures - 1] ?? null;

/** Waits up to this many seconds have no jitter. */
const MAX_EXACT_SECONDS = 5;

/** A number from 0 to 2^32 - 1 that depends only on the text. */
export const hashOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0);

/**
 * Multiplies a wait by 0.8 to 1.2 and returns whole seconds, so that work that failed together is not retried together. The factor depends
 * only on the id and the number of failures, so computing it again gives the same wait. `private.jittered` does the same in SQL.
 */
export function jitter(seconds: number, { id, failures }: { id: string; failures: number }): number {
  if (seconds <= MAX_EXACT_SECONDS) return seconds;
  const least = Math.ceil((seconds * 4) / 5);
  const most = Math.floor((seconds * 6) / 5);
  return least + (hashOf(`${id}:${failures}`) % (most - least + 1));
}
