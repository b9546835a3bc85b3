/**
 * An emulator's clock and its scheduled jobs. The clock is real time plus an offset, or frozen. Jobs are data, so they survive
 * restarts. Advancing the clock runs the jobs that come due, in order, each at its own time.
 */

export interface Job {
  id: string;
  name: string;
  dueAtMs: number;
  data: Record<string, string>;
}

/** The scheduler's part of an emulator's state. */
export interface JobSchedulerState {
  offsetMs: number;
  /** The current time while the clock is frozen. */
  frozenAtMs: number | null;
  jobs: Job[];
  lastJob: number;
}

export const newJobSchedulerState = (): JobSchedulerState => ({
  offsetMs: 0,
  frozenAtMs: null,
  jobs: [],
  lastJob: 0,
});

export type RunJob = (data: Record<string, string>) => Promise<void> | void;

export interface JobScheduler {
  /** Unix time in milliseconds. */
  now(): number;
  /** Registers the handler of a job name. */
  on(name: string, run: RunJob): void;
  /** Schedules a job. Returns its id for canceling. */
  schedule(name: string, dueAtMs: number, data: Record<string, string>): string;
  cancel(id: string): void;
  jobs(): readonly Job[];
  /** Advances the clock, and resolves when all jobs that came due have run. */
  advanceTo(timeMs: number): Promise<void>;
  /** Freezes the clock or lets it run with real time. */
  setFrozen(frozen: boolean): void;
  isFrozen(): boolean;
  /** Resolves when no job is running or due. */
  settle(): Promise<void>;
  /** Starts running jobs. */
  start(): void;
  stop(): Promise<void>;
}

// setTimeout fires immediately for longer delays, and jobs can be years ahead.
const MAX_TIMER_MS = 2 ** 31 - 1;

/** @param onChange called after each change of the state */
export function createJobScheduler(state: JobSchedulerState, onChange: () => void): JobScheduler {
  const runs = new Map<string, RunJob>();
  const inFlight = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let running = false;
  /** The time while the clock is being advanced. */
  let advancingMs: number | undefined;
  let moves: Promise<void> = Promise.resolve();

  const now = (): number => advancingMs ?? state.frozenAtMs ?? Date.now() + state.offsetMs;

  function next(upToMs: number): Job | undefined {
    let first: Job | undefined;
    for (const job of state.jobs) {
      if (job.dueAtMs <= upToMs && (first === undefined || job.dueAtMs < first.dueAtMs)) first = job;
    }
    return first;
  }

  function begin(job: Job): Promise<void> {
    state.jobs.splice(state.jobs.indexOf(job), 1);
    onChange();
    const run = (async () => runs.get(job.name)?.(job.data))()
      .catch((error: unknown) => console.error(`${job.name} failed`, error))
      .finally(() => inFlight.delete(run));
    inFlight.add(run);
    return run;
  }

  function arm(): void {
    clearTimeout(timer);
    if (!running || advancingMs !== undefined) return;
    const soonest = next(Number.POSITIVE_INFINITY);
    if (soonest === undefined || (state.frozenAtMs !== null && soonest.dueAtMs > now())) return;
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
      onChange();
      arm();
    }
  }

  function advanceTo(timeMs: number): Promise<void> {
    moves = moves.then(() => move(Math.max(timeMs, now())));
    return moves;
  }

  return {
    now,
    on: (name, run) => runs.set(name, run),
    schedule(name, dueAtMs, data) {
      state.lastJob += 1;
      const id = `job_${state.lastJob}`;
      state.jobs.push({ id, name, dueAtMs, data });
      onChange();
      arm();
      return id;
    },
    cancel(id) {
      state.jobs = state.jobs.filter((job) => job.id !== id);
      onChange();
      arm();
    },
    jobs: () => state.jobs,
    advanceTo,
    isFrozen: () => state.frozenAtMs !== null,
    setFrozen(frozen) {
      const currentMs = now();
      state.frozenAtMs = frozen ? currentMs : null;
      state.offsetMs = currentMs - Date.now();
      onChange();
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
