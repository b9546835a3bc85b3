// Waits, timeouts, and parsing of `Retry-After`.

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns the result of `work`. Throws the error of `timeoutError` after `timeoutMs`. */
export async function orTimeout<T>(
  work: Promise<T>,
  timeoutMs: number,
  timeoutError: () => Error,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timeoutError()), timeoutMs);
  });
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}

/** Longer waits are shortened to a day. */
const MAX_RETRY_AFTER_SECONDS = 86_400;

/**
 * Parses a `Retry-After` header, which is a number of seconds or a date (RFC 9110, section 10.2.3). Returns seconds, at most a day.
 * Undefined if the header is malformed or its time has passed.
 */
export function parseRetryAfter(value: string | null | undefined, nowMs: number): number | undefined {
  if (!value) return undefined;
  const seconds = /^\d{1,10}$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - nowMs) / 1000);
  return seconds > 0 ? Math.min(seconds, MAX_RETRY_AFTER_SECONDS) : undefined;
}
