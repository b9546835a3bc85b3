/** Time as the emulator sees it, so that tests can move it instead of waiting. */

export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /** Runs `task` once `now()` has reached `timeMs`; the answer cancels it. */
  at(timeMs: number, task: () => void): () => void;
}

// setTimeout fires at once beyond this, and delays here go up to a year.
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  at(timeMs, task) {
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const waitMs = Math.min(timeMs - Date.now(), MAX_TIMER_MS);
      timer = setTimeout(() => (Date.now() < timeMs ? arm() : task()), waitMs);
    };
    arm();
    return () => clearTimeout(timer);
  },
};
