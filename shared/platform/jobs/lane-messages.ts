// Which messages jobs of lanes need. One is enough for all that are due when it comes, since it leads to several of its lane
// (`run-lane.ts`). In a burst of requests that cause one job each, a worker sends one at once, and then one a second.
import QuickLRU from 'quick-lru';

/** What a message says: which row is due. */
export interface JobMessage {
  name: string;
  id: string;
  /** Seconds until it is due, by the database's clock; at once when absent. QStash counts them from when it is told. */
  waitSeconds?: number;
  lane?: string | null;
}

/** QStash waits for whole seconds. */
const PAUSE_SECONDS = 1;
/** Lanes and waits that a worker remembers. What is forgotten costs a message more. */
const MAX_REMEMBERED = 10_000;

export interface LaneMessages {
  /** The messages to send for these jobs, which are committed: all of those without a lane, and as few as will do of the others. */
  choose(jobs: readonly JobMessage[]): JobMessage[];
  /** For jobs that nobody could be told of: no message is on its way that finds them. */
  forget(jobs: readonly JobMessage[]): void;
}

/** Jobs of a lane that wait equally long can share a message. */
const keyOf = ({ name, lane, waitSeconds = 0 }: JobMessage) => `${name} ${lane} ${waitSeconds}`;

/** `nowMs` is only compared with itself. */
export function createLaneMessages(nowMs = () => performance.now()): LaneMessages {
  /** When the last message comes, at the soonest. It finds all that is due and committed before. */
  const comesAtMs = new QuickLRU<string, number>({ maxSize: MAX_REMEMBERED });

  function messageFor(job: JobMessage): JobMessage | undefined {
    const { waitSeconds = 0 } = job;
    const key = keyOf(job);
    const dueAtMs = nowMs() + 1000 * waitSeconds;
    const lastMs = comesAtMs.get(key) ?? Number.NEGATIVE_INFINITY;
    if (dueAtMs < lastMs) return undefined;
    const pauseSeconds = dueAtMs < lastMs + 1000 * PAUSE_SECONDS ? PAUSE_SECONDS : 0;
    comesAtMs.set(key, dueAtMs + 1000 * pauseSeconds);
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
      for (const job of jobs) comesAtMs.delete(keyOf(job));
    },
  };
}
