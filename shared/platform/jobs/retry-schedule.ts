// Retry schedules of jobs and webhook deliveries.

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
