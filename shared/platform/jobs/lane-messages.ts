// Decides which messages to send for jobs of lanes. One message runs all jobs of its lane that are due when it arrives (`run-lane.ts`).
// In a burst of requests that create one job each, a worker sends one message immediately, and then one per second.
import QuickLRU from 'quick-lru';

/** A message that announces a due row of `jobs`. Statements select its members under these names. */
export interface JobMessage {
  name: string;
  id: string;
  /** Seconds until it is due, by the database's clock. Default: 0. QStash counts them from the time when it receives the message. */
  waitSeconds?: number;
  lane?: string | null;
  /** The tenant, if it runs only few jobs of this name at once. */
  tenantId?: string | null;
  /** The row's trace, which the message continues. Null if it has none. Default: the current trace. */
  traceparent?: string | null;
}

/** Interval between messages of a lane. QStash accepts only whole seconds. */
const PAUSE_SECONDS = 1;
/** Maximum entries in memory, one per lane and delay. An evicted entry causes one additional message. */
const MAX_REMEMBERED = 10_000;

export interface LaneMessages {
  /** Returns the messages to send for these committed jobs: one per job without a lane, and as few as possible per lane. */
  choose(jobs: readonly JobMessage[]): JobMessage[];
  /** Call this if the messages for these jobs could not be sent. */
  forget(jobs: readonly JobMessage[]): void;
}

/** Jobs of a lane with the same delay can share a message. */
const keyOf = ({ name, lane, waitSeconds = 0 }: JobMessage) => `${name} ${lane} ${waitSeconds}`;

/** `nowMs` is a monotonic clock. */
export function createLaneMessages(nowMs = () => performance.now()): LaneMessages {
  /** When the last message arrives at the earliest, by key. It runs all jobs that are due and committed by then. */
  const arrivesAtMs = new QuickLRU<string, number>({ maxSize: MAX_REMEMBERED });

  function messageFor(job: JobMessage): JobMessage | undefined {
    const { waitSeconds = 0 } = job;
    const key = keyOf(job);
    const dueAtMs = nowMs() + 1000 * waitSeconds;
    const lastMs = arrivesAtMs.get(key) ?? Number.NEGATIVE_INFINITY;
    if (dueAtMs < lastMs) return undefined;
    const pauseSeconds = dueAtMs < lastMs + 1000 * PAUSE_SECONDS ? PAUSE_SECONDS : 0;
    arrivesAtMs.set(key, dueAtMs + 1000 * pauseSeconds);
    return { ...job, waitSeconds: waitSeconds + pauseSeconds };
  }

  return {
    choose(jobs) {
      const seen = new Set<string>();
      return jobs.flatMap((job) => {
        if (!job.lane) return [job];
        const key = keyOf(job);
        if (seen.has(key)) return [];
        seen.add(key);
        return messageFor(job) ?? [];
      });
    },
    forget(jobs) {
      for (const job of jobs) arrivesAtMs.delete(keyOf(job));
    },
  };
}
