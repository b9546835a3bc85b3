// Caches a result for a fixed time, so that frequent callers cause no extra work.

interface CachedResult<T> {
  value: T;
  /** How long ago the result was obtained. */
  ageMs: number;
}

/**
 * Returns a function that runs `work` at most once at a time and returns its last result for `holdMs`. Callers in the meantime wait for
 * the result. Errors are not kept.
 */
export function cacheResult<T>(work: () => Promise<T>, holdMs: number): () => Promise<CachedResult<T>> {
  let running: Promise<void> | undefined;
  let last: { value: T; atMs: number } | undefined;
  const run = async () => {
    try {
      const value = await work();
      last = { value, atMs: performance.now() };
    } finally {
      running = undefined;
    }
  };
  return async () => {
    if (!last || performance.now() > last.atMs + holdMs) {
      running ??= run();
      await running;
    }
    if (!last) throw new Error('There is no result.');
    return { value: last.value, ageMs: performance.now() - last.atMs };
  };
}
