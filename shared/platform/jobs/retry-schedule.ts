// When something that failed is tried again: one shape for jobs and for webhooks.

/** Seconds to wait after the first failed try, the second, and so on; after the last it is given up. */
export type RetrySchedule = readonly number[];

/** Waits that double from `firstSeconds` up to `maxSeconds`, for so many tries in all. */
export function doublingSchedule(options: {
  firstSeconds: number;
  maxSeconds: number;
  tries: number;
}): RetrySchedule {
  const { firstSeconds, maxSeconds, tries } = options;
  return Array.from({ length: tries - 1 }, (_, i) => Math.min(maxSeconds, firstSeconds * 2 ** i));
}

/** Seconds until the next try, after so many failures in a row; null when there is none. */
export const waitAfter = (schedule: RetrySchedule, failures: number): number | null =>
  schedule[failures - 1] ?? null;
