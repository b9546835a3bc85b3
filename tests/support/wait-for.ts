/**
 * Waiting for a condition instead of for a time.
 *
 * The limit is measured in the machine's own progress: of each look's time only that part counts which the machine would
 * have given this process. Between looks the process does a fixed piece of work and compares the time that it took with
 * the processor time that it used; where eight others want the same core the piece takes eight times as long, and so does
 * the wait. A machine that sleeps or is stopped meanwhile uses up nothing. So a limit that is passed means that what is
 * waited for does not come, and never that the machine is busy.
 */
import { setTimeout as pause } from 'node:timers/promises';

const INTERVAL_MS = 10;
/** Long enough for nearly everything here; only what fails waits for so long. */
const LIMIT_MS = 30_000;
/** Whatever the machine does, nobody waits longer than that many times the limit. */
const MAX_TIMES = 10;
/** Most waits end at their first looks: only later ones measure the machine. */
const FREE_MS = 500;
const SAMPLE_EVERY_MS = 250;
/** Some time slices of a scheduler: less would be over before others have their turn. */
const SAMPLE_CPU_MS = 12;

/** The part of a core that this process gets when it wants all of it, from nearly 0 to 1. */
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
 * Calls `probe` until it answers something other than undefined, null or false, and returns that.
 *
 * @param options.limitMs how long that takes at most on a machine that does nothing else
 * @throws when the limit has passed; with the last error of the probe as its cause, if it threw
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
    await pause(INTERVAL_MS);
    const now = performance.now();
    if (now - startedAt > FREE_MS && now - sampledAt > SAMPLE_EVERY_MS) {
      share = measureShare();
      sampledAt = performance.now();
    }
    // A gap between two looks is a machine that did not even let this process look.
    progressMs += Math.min(performance.now() - lookedAt, 2 * SAMPLE_EVERY_MS) * share;
    lookedAt = performance.now();
  } while (progressMs < limitMs && lookedAt - startedAt < MAX_TIMES * limitMs);
  const waited = `${Math.round(lookedAt - startedAt)} ms, of which the machine gave ${Math.round(progressMs)}`;
  const lastly = cause instanceof Error ? `: ${cause.message}` : '';
  throw new Error(`the condition did not come true within ${waited}${lastly}`, { cause });
}
