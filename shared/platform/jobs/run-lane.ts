// Doing jobs of a lane: a message names one of them, and leads to whatever is due in its lane. A few are done at once; the
// transaction that records them claims and reads the next few. So each waits for nobody with a claim in its hands, and a worker that
// dies leaves behind only what it was doing.
import { type Fragment, type Sql, type Statement, WORKER_SESSION } from '../db/database.ts';
import type { ClaimedInLane, Done, JobDependencies, LaneHandler, PreviousResult } from './job.ts';
import { jobMessagesOf } from './publish.ts';
import { claimInLane, type Failure, failJob, selectNextInLane, settleJobs } from './queries.ts';
import { judgeFailure } from './run-job.ts';
import { collectNewJobs } from './transaction-with-jobs.ts';

/** How many jobs a message leads to at most; another goes on with what is left. */
export const MAX_JOBS_PER_MESSAGE = 24;
/** Past it no more are begun, so that the worker ends long before the platform ends it (150 s). */
const WORK_MS = 30_000;

interface Failed {
  work: ClaimedInLane;
  failure: Failure;
}

/** What became of jobs that were done at once. */
interface Ended {
  done: Done<ClaimedInLane, unknown>[];
  failed: Failed[];
}

export interface LaneOutcome {
  jobs: number;
  /** Whether more are due and nobody could be told: the message is to come again. */
  abandoned: boolean;
}

/**
 * Does due jobs of the lane that the job with this id is in, and has another worker go on where more are due. Does not throw for a
 * failing handler.
 */
export async function runLane(
  handler: LaneHandler,
  id: string,
  dependencies: JobDependencies,
): Promise<LaneOutcome> {
  const { name, concurrency, shouldPauseLane } = handler;
  const { database, queue } = dependencies;
  const log = dependencies.log.with({ job: name });
  const endsAtMs = performance.now() + WORK_MS;
  const publishing: Promise<void>[] = [];
  let ended: Ended = { done: [], failed: [] };
  let jobs = 0;

  /** Records what ended, and asks for what is next. */
  async function step<R extends object>(next: (sql: Sql) => Statement<R>): Promise<R[]> {
    const caused = await collectNewJobs(
      (build) => database.transaction(WORKER_SESSION, build),
      (sql) => ({ ended: recordEnded(sql, handler, ended), next: next(sql) }),
    );
    // What was claimed is not to wait for QStash.
    publishing.push(queue.publish(caused.jobs, log));
    return caused.rows.next;
  }

  let [paused, drained] = [false, false];
  while (!paused && !drained && jobs < MAX_JOBS_PER_MESSAGE && performance.now() < endsAtMs) {
    const atMost = Math.min(concurrency, MAX_JOBS_PER_MESSAGE - jobs);
    const begun = await step((sql) => handler.begin(sql, claimInLane(sql, id, handler, atMost)));
    ended = await runAtOnce(handler, begun, { database, queue, log });
    jobs += begun.length;
    paused = ended.done.some(({ outcome }) => shouldPauseLane(outcome));
    drained = begun.length === 0;
  }
  const [next] = drained ? [] : jobMessagesOf(await step((sql) => selectNextInLane(sql, id, name)));
  const abandoned = !paused && next !== undefined && !(await queue.handOff(next, log));
  await Promise.all(publishing);
  return { jobs, abandoned };
}

async function runAtOnce(
  handler: LaneHandler,
  begun: readonly ClaimedInLane[],
  dependencies: JobDependencies,
): Promise<Ended> {
  const ended: Ended = { done: [], failed: [] };
  const startedAtMs = performance.now();
  const runOne = async (work: ClaimedInLane, before?: PreviousResult<unknown>): Promise<unknown> => {
    const log = dependencies.log.with({ job_id: work.jobId, attempt: work.claim });
    try {
      const outcome = await handler.run(work, { ...dependencies, log }, before);
      ended.done.push({ work, outcome });
      return outcome;
    } catch (error) {
      ended.failed.push({ work, failure: judgeFailure(error, work.failures, log) });
      return undefined;
    }
  };
  const runInOrder = async ([first, ...others]: ClaimedInLane[]) => {
    if (!first) return;
    let outcome = await runOne(first);
    for (const work of others) {
      outcome = await runOne(work, { outcome, elapsedMs: performance.now() - startedAtMs });
    }
  };
  await Promise.all(groupByOrderingKey(handler, begun).map(runInOrder));
  return ended;
}

/** Those that are done one after the other, together. */
function groupByOrderingKey(handler: LaneHandler, begun: readonly ClaimedInLane[]): ClaimedInLane[][] {
  const turns = new Map<string, ClaimedInLane[]>();
  for (const work of begun) {
    const key = handler.orderingKey?.(work) ?? null;
    // Those of any order are each a turn of their own.
    const name = key === null ? `job ${work.jobId}` : `key ${key}`;
    turns.set(name, [...(turns.get(name) ?? []), work]);
  }
  return [...turns.values()];
}

function recordEnded(sql: Sql, handler: LaneHandler, { done, failed }: Ended): Fragment[] {
  const failures = failed.map(({ work: { jobId, claim }, failure }) => failJob(sql, jobId, claim, failure));
  if (done.length === 0) return failures;
  const { effects, outcomes } = handler.record(sql, done);
  return [...failures, ...effects, settleJobs(sql, outcomes)];
}
