// How long a use of the database may take. All uses of a pool may take equally long, so they end in the order in which they
// began, and one timer is enough for all of them.
import { unref } from '../timers.ts';

/** What a use that took too long fails with. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed';
}

export interface Deadline {
  /** Rejects when the time is over, with `DeadlinePassed`, or with what it is told to fail with. */
  expired: Promise<never>;
  fail(reason: Error): void;
  /** To be called when what it bounds has ended. */
  clear(): void;
}

export interface Deadlines {
  start(): Deadline;
}

export function createDeadlines(timeoutMs: number): Deadlines {
  const running = new Map<Deadline, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const watch = (ms: number): void => {
    timer = setTimeout(() => {
      timer = undefined;
      expire();
    }, ms);
    unref(timer);
  };
  const expire = (): void => {
    for (const [deadline, endsAtMs] of running) {
      const leftMs = endsAtMs - performance.now();
      if (leftMs > 0) {
        watch(leftMs);
        break;
      }
      running.delete(deadline);
      deadline.fail(new DeadlinePassed(`no answer within ${timeoutMs} ms`));
    }
  };

  return {
    start() {
      let fail: (reason: Error) => void = () => {};
      const expired = new Promise<never>((_, reject) => {
        fail = reject;
      });
      const deadline: Deadline = { expired, fail, clear: () => void running.delete(deadline) };
      running.set(deadline, performance.now() + timeoutMs);
      if (timer === undefined) watch(timeoutMs);
      return deadline;
    },
  };
}
