// Limits how long a request waits for Redis. After a timeout, the next requests wait for a shorter time.

/** The timeout during `SHORT_PERIOD_MS` after Redis timed out. */
const SHORT_MS = 100;
const SHORT_PERIOD_MS = 5000;
const STEP_MS = 25;

export interface AdaptiveTimeout {
  /** Returns the response, or undefined after the timeout. Throws the errors of `response`. */
  waitFor<T>(response: Promise<T>): Promise<T | undefined>;
}

/**
 * `timeoutMs` counts only time in which the worker's event loop is free, so it waits in steps. A busy worker may have a response in its
 * socket that it has not read yet. If that counted as a timeout, many requests would be served uncounted under load.
 */
export function createAdaptiveTimeout(timeoutMs: number): AdaptiveTimeout {
  let shortUntil = 0;
  return {
    async waitFor(response) {
      const steps = (performance.now() < shortUntil ? Math.min(SHORT_MS, timeoutMs) : timeoutMs) / STEP_MS;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const timedOut = new Promise<undefined>((resolve) => {
        const wait = (left: number) => {
          timer = setTimeout(() => {
            if (left > 1) return wait(left - 1);
            shortUntil = performance.now() + SHORT_PERIOD_MS;
            resolve(undefined);
          }, STEP_MS);
        };
        wait(steps);
      });
      try {
        const answer = await Promise.race([response, timedOut]);
        if (answer !== undefined) shortUntil = 0;
        return answer;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
