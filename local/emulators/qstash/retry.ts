/** Delays between delivery attempts. */

const DAY_MS = 86_400_000;

/**
 * The documented default for the nth retry: `min(86400, e^(2.5 n))` seconds.
 *
 * @param retried retries so far; 0 after the first attempt
 */
export const defaultRetryDelayMs = (retried: number): number =>
  Math.min(DAY_MS, 1000 * Math.round(Math.exp(2.5 * (retried + 1))));

/** Milliseconds of a `Retry-After` in seconds, at most a day; undefined if absent or invalid. */
export function retryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d{1,9}$/.test(header)) return undefined;
  return Math.min(DAY_MS, Number(header) * 1000);
}
