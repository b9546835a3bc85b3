// How long a request waits for Redis.

/** While Redis was silent lately: then a request only looks whether it is back. */
const SHORT_MS = 100;
const REMEMBER_SILENCE_MS = 5000;
const STEP_MS = 25;

export interface AdaptiveTimeout {
  /** What `asked` gives; undefined when it takes too long. Throws what it throws. */
  waitFor<T>(asked: Promise<T>): Promise<T | undefined>;
}

/**
 * `timeoutMs` is of the worker's free time. Waits in steps, so that time counts only while the worker could have looked: an answer that lies in the socket of a worker
 * that is busy is an answer. Taken for silence, it would let a request in uncounted, and under load many.
 */
export function createAdaptiveTimeout(timeoutMs: number): AdaptiveTimeout {
  let silentUntil = 0;
  return {
    async waitFor(asked) {
      const steps = (performance.now() < silentUntil ? Math.min(SHORT_MS, timeoutMs) : timeoutMs) / STEP_MS;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const silence = new Promise<undefined>((resolve) => {
        const wait = (left: number) => {
          timer = setTimeout(() => {
            if (left > 1) return wait(left - 1);
            silentUntil = performance.now() + REMEMBER_SILENCE_MS;
            resolve(undefined);
          }, STEP_MS);
        };
        wait(steps);
      });
      try {
        const answer = await Promise.race([asked, silence]);
        if (answer !== undefined) silentUntil = 0;
        return answer;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
