/** When a failed delivery is tried again. */

const DAY_MS = 86_400_000;

/**
 * The documented default, `min(86400, e^(2.5 n))` seconds for the nth retry.
 *
 * @param retried retries made so far, 0 after the first attempt
 */
export const defaultRetryDelayMs = (retried: number): number =>
  Math.min(DAY_MS, 1000 * Math.round(Math.exp(2.5 * (retried + 1))));

/** What a `Retry-After` in seconds asks for, at most a day; undefined when there is none that can be read. */
export function retryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d{1,9}$/.test(header)) return undefined;
  return Math.min(DAY_MS, Number(header) * 1000);
}
