/**
 * Waits for a condition instead of a fixed time.
 *
 * The limit is measured in CPU time that was available to this process, not in wall-clock time. Between checks of the condition,
 * the process does a fixed amount of work and compares the elapsed time with the CPU time that it used. If eight other processes
 * compete for the same core, the work takes eight times as long, and the limit is extended in proportion.
 * While the machine sleeps or is stopped, no time counts. So exceeding the limit means that the condition does not become
 * true, not that the machine is busy.
 */
import { setTimeout as pause } from 'node:timers/promises';

/** Between checks it waits a tenth of the time so far, within these bounds: checks cost CPU time that what is waited for needs. */
const INTERVAL_MS = { from: 10, to: 100 };
/** Enough for almost everything here. Only failing tests wait that long. */
const LIMIT_MS = 30_000;
/** Regardless of the machine, the maximum wait is this many times the limit. */
const MAX_TIMES = 10;
/** Most waits end after the first checks, so only later ones measure the machine. */
const FREE_MS = 2000;
const SAMPLE_EVERY_MS = 1000;
/** Several time slices of a scheduler. Less would end before other processes run. */
const SAMPLE_CPU_MS = 12;

/** The share of a core that this process gets if it uses all it can, from almost 0 to 1. */
export function measureShare(): number {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  for (;;) {
    const { user, system } = process.cpuUsage(before);
    const usedMs = (user + system) / 1000;
    if (usedMs >= SAMPLE_CPU_MS) return Math.min(1, usedMs / (performance.now() - startedAt));
  }
}

/**
 * Calls `probe` until it returns something other than undefined, null or false. Returns this value.
 *
 * @param options.limitMs maximum duration on an idle machine
 * @throws after the limit, with the last error of the probe as its cause, if it threw one
 */
export async function waitFor<T>(
  probe: () => T | Promise<T>,
  { limitMs = LIMIT_MS }: { limitMs?: number } = {},
): Promise<Exclude<T, undefined | null | false>> {
  const startedAt = performance.now();
  let cause: unknown;
  let share = 1;
  let progressMs = 0;
  let sampledAt = startedAt;
  let lookedAt = startedAt;
  do {
    try {
      const value = await probe();
      cause = undefined;
      if (value !== undefined && value !== null && value !== false) {
        return value as Exclude<T, undefined | null | false>;
      }
    } catch (error) {
      cause = error;
    }
    const waitedMs = performance.now() - startedAt;
    await pause(Math.min(INTERVAL_MS.to, Math.max(INTERVAL_MS.from, waitedMs / 10)));
    const now = performance.now();
    if (now - startedAt > FREE_MS && now - sampledAt > SAMPLE_EVERY_MS) {
      share = measureShare();
      sampledAt = performance.now();
    }
    // A gap between two checks means that the machine did not even run this process.
    progressMs += Math.min(performance.now() - lookedAt, SAMPLE_EVERY_MS) * share;
    lookedAt = performance.now();
  } while (progressMs < limitMs && lookedAt - startedAt < MAX_TIMES * limitMs);
  const waited = `${Math.round(lookedAt - startedAt)} ms, of which the machine gave ${Math.round(progressMs)}`;
  const lastly = cause instanceof Error ? `: ${cause.message}` : '';
  throw new Error(`the condition did not come true within ${waited}${lastly}`, { cause });
}
