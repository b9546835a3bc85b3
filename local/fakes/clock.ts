/**
 * A fake's clock and its scheduled jobs. The clock is real time plus an offset, or frozen. Jobs are data, so they survive restarts.
 * Advancing the clock runs the jobs that come due, in order, each at its own time.
 */

export interface Job {
  id: number;
  name: string;
  dueAtMs: number;
  data: Record<string, string>;
}

/** The clock's part of a fake's state. */
export interface ClockState {
  offsetMs: number;
  /** The current time while the clock is frozen. */
  frozenAtMs: number | null;
  jobs: Job[];
  lastJob: number;
}

export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /** Schedules a job. Returns its id for canceling. */
  schedule(name: string, dueAtMs: number, data: Record<string, string>): number;
  cancel(id: number | null): void;
  /** Resolves when all jobs that came due have run. */
  advanceTo(timeMs: number): Promise<void>;
  setFrozen(frozen: boolean): void;
  /** Resolves when no job is running or due. */
  settle(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

// setTimeout fires immediately for longer delays, and jobs can be years ahead.
const MAX_TIMER_MS = 2 ** 31 - 1;

export function createClock(
  state: ClockState,
  run: (name: string, data: Job['data']) => Promise<void> | void,
): Clock {
  const inFlight = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let running = false;
  /** The time while the clock is being advanced. */
  let advancingMs: number | undefined;
  let moves: Promise<void> = Promise.resolve();
  const now = (): number => advancingMs ?? state.frozenAtMs ?? Date.now() + state.offsetMs;

  const next = (upToMs: number): Job | undefined =>
    state.jobs.reduce<Job | undefined>(
      (first, job) => (job.dueAtMs <= upToMs && (!first || job.dueAtMs < first.dueAtMs) ? job : first),
      undefined,
    );

  function begin(job: Job): Promise<void> {
    state.jobs.splice(state.jobs.indexOf(job), 1);
    const work = (async () => run(job.name, job.data))()
      .catch((error: unknown) => console.error(`${job.name} failed`, error))
      .finally(() => inFlight.delete(work));
    inFlight.add(work);
    return work;
  }

  function arm(): void {
    clearTimeout(timer);
    const soonest = next(Number.POSITIVE_INFINITY);
    if (!running || advancingMs !== undefined || soonest === undefined) return;
    if (state.frozenAtMs !== null && soonest.dueAtMs > now()) return;
    timer = setTimeout(runDue, Math.min(Math.max(soonest.dueAtMs - now(), 0), MAX_TIMER_MS));
  }

  /** Jobs run concurrently in real time: a receiver that hangs must not delay the others. */
  function runDue(): void {
    const dueBy = now();
    for (let job = next(dueBy); job !== undefined; job = next(dueBy)) void begin(job);
    arm();
  }

  async function move(toMs: number): Promise<void> {
    await Promise.all(inFlight);
    clearTimeout(timer);
    advancingMs = now();
    try {
      for (let job = next(toMs); job !== undefined; job = next(toMs)) {
        advancingMs = Math.max(advancingMs, job.dueAtMs);
        await begin(job);
      }
    } finally {
      const reachedMs = Math.max(toMs, advancingMs);
      advancingMs = undefined;
      if (state.frozenAtMs === null) state.offsetMs = reachedMs - Date.now();
      else state.frozenAtMs = reachedMs;
      arm();
    }
  }

  function advanceTo(timeMs: number): Promise<void> {
    moves = moves.then(() => move(Math.max(timeMs, now())));
    return moves;
  }

  return {
    now,
    schedule(name, dueAtMs, data) {
      state.lastJob += 1;
      state.jobs.push({ id: state.lastJob, name, dueAtMs, data });
      arm();
      return state.lastJob;
    },
    cancel(id) {
      state.jobs = state.jobs.filter((job) => job.id !== id);
      arm();
    },
    advanceTo,
    setFrozen(frozen) {
      const currentMs = now();
      state.frozenAtMs = frozen ? currentMs : null;
      state.offsetMs = currentMs - Date.now();
      arm();
    },
    async settle() {
      while (inFlight.size > 0 || next(now()) !== undefined) await advanceTo(now());
    },
    start() {
      running = true;
      arm();
    },
    async stop() {
      running = false;
      clearTimeout(timer);
      await Promise.all(inFlight);
    },
  };
}
