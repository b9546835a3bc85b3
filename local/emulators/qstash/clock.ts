/** The emulator's clock, which tests can advance. */

export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /** Runs `task` when `now()` reaches `timeMs`. The returned function cancels it. */
  at(timeMs: number, task: () => void): () => void;
}

// setTimeout fires immediately for longer delays, and delays here can be up to a year.
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
