/** Waiting for a condition instead of for a time. */
import { setTimeout as pause } from 'node:timers/promises';

const INTERVAL_MS = 10;

/**
 * Calls `probe` until it answers something other than undefined, null or false, and returns that.
 *
 * @throws when the limit has passed; with the last error of the probe as its cause, if it threw
 */
export async function waitFor<T>(
  probe: () => T | Promise<T>,
  { timeoutMs = 5000 }: { timeoutMs?: number } = {},
): Promise<Exclude<T, undefined | null | false>> {
  const endMs = Date.now() + timeoutMs;
  let cause: unknown;
  do {
    try {
      const value = await probe();
      cause = undefined;
      if (value !== undefined && value !== null && value !== false) {
        return value as Exclude<T, undefined | null | false>;
      }
    } catch (error) {
      cause = error;
    }
    await pause(INTERVAL_MS);
  } while (Date.now() < endMs);
  throw new Error(`the condition did not come true within ${timeoutMs} ms`, { cause });
}
