// Waits: bounded in time, and those that others ask for.

/** What `work` gives, if it comes in time; else throws what `late` makes. */
export async function orTimeout<T>(work: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), timeoutMs);
  });
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}

/** Nobody is waited for longer than a day. */
const MAX_RETRY_AFTER_SECONDS = 86_400;

/**
 * Seconds of a `Retry-After`, which is a number of them or a date (RFC 9110, section 10.2.3), at most a day; undefined where it is
 * neither, or over.
 */
export function parseRetryAfter(value: string | null | undefined, nowMs: number): number | undefined {
  if (!value) return undefined;
  const seconds = /^\d{1,10}$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - nowMs) / 1000);
  return seconds > 0 ? Math.min(seconds, MAX_RETRY_AFTER_SECONDS) : undefined;
}
