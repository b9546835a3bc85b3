// Runs jobs of a lane. A message names the lane and runs all of its due jobs, several at a time. The transaction that
// records finished jobs also claims and reads the next ones. Claimed jobs therefore start immediately, and a killed worker leaves only the
// jobs that it was running.
//
//   begin -> run, run, run ... -> record and begin -> run, run, run ... -> record       (functions of the handler)
import { type Fragment, type Sql, type Statement, WORKER_SESSION } from '../db/database.ts';
import { continueTrace, traceField } from '../tracing/scope.ts';
import { errorType, type Span } from '../tracing/span.ts';
import type { ClaimedLaneJob, Done, JobDependencies, LaneHandler, PreviousResult } from './job.ts';
import { runAndCollectJobs } from './new-jobs.ts';
import {
  claimInLane,
  type Failure,
  failJob,
  type LaneReference,
  selectNextInLane,
  settleJobs,
} from './queries.ts';
import { planRetry } from './retry-schedule.ts';

/** Maximum jobs per message. Another message continues with the rest. */
const MAX_JOBS_PER_MESSAGE = 24;
/** No jobs are started after this time, so that the worker ends long before the platform's limit (150 s). */
const WORK_MS = 30_000;

interface Failed {
  work: ClaimedLaneJob;
  failure: Failure;
}

/** The results of jobs that ran concurrently. */
interface Ended {
  done: Done<ClaimedLaneJob, unknown>[];
  failed: Failed[];
}

interface LaneOutcome {
  jobs: number;
  /** Whether more jobs are due and no other worker could be notified. QStash must then redeliver the message. */
  abandoned: boolean;
}

/**
 * Runs due jobs of a lane. If more are due afterwards, it makes another worker continue. Does not throw if a
 * handler fails.
 */
export async function runLane(
  handler: LaneHandler,
  lane: LaneReference,
  dependencies: JobDependencies,
): Promise<LaneOutcome> {
  const { name, concurrency, shouldPauseLane } = handler;
  const { database, queue } = dependencies;
  const log = dependencies.log.with({ job: name });
  const endsAtMs = performance.now() + WORK_MS;
  const publishing: Promise<unknown>[] = [];
  let ended: Ended = { done: [], failed: [] };
  let jobs = 0;

  /** Records ended jobs and runs the next query, in one transaction. */
  async function step<R extends object>(next: (sql: Sql) => Statement<R>): Promise<R[]> {
    const caused = await runAndCollectJobs(
      (build) => database.transaction(WORKER_SESSION, build),
      (sql) => ({ ended: recordEnded(sql, handler, ended), next: next(sql) }),
    );
    // Not awaited, so that claimed jobs do not wait for QStash.
    publishing.push(queue.publish(caused.jobs, log));
    return caused.rows.next;
  }

  let [paused, drained] = [false, false];
  while (!paused && !drained && jobs < MAX_JOBS_PER_MESSAGE && performance.now() < endsAtMs) {
    const atMost = Math.min(concurrency, MAX_JOBS_PER_MESSAGE - jobs);
    const claimed = await step((sql) => handler.begin(sql, claimInLane(sql, lane, handler, atMost)));
    ended = await runConcurrently(handler, claimed, { database, queue, log });
    jobs += claimed.length;
    paused = ended.done.some(({ outcome }) => shouldPauseLane(outcome));
    drained = claimed.length === 0;
  }
  const [next] = drained ? [] : await step((sql) => selectNextInLane(sql, lane, name));
  const abandoned = !paused && next !== undefined && !(await queue.handOff(next, log));
  await Promise.all(publishing);
  return { jobs, abandoned };
}

async function runConcurrently(
  handler: LaneHandler,
  claimed: readonly ClaimedLaneJob[],
  dependencies: JobDependencies,
): Promise<Ended> {
  const ended: Ended = { done: [], failed: [] };
  const startedAtMs = performance.now();
  const runOne = (work: ClaimedLaneJob, previous?: PreviousResult<unknown>): Promise<unknown> =>
    continueTrace(work.traceparent, 'consumer', `job ${handler.name}`, (span) => {
      span?.set('placar.tenant_id', work.tenantId).set('placar.job.attempt', work.claim);
      return runTraced(work, previous, span);
    });
  const runTraced = async (
    work: ClaimedLaneJob,
    previous: PreviousResult<unknown> | undefined,
    span: Span | undefined,
  ): Promise<unknown> => {
    const log = dependencies.log.with({ job_id: work.jobId, attempt: work.claim, ...traceField() });
    try {
      const outcome = await handler.run(work, { ...dependencies, log }, previous);
      ended.done.push({ work, outcome });
      return outcome;
    } catch (error) {
      span?.fail(errorType(error));
      ended.failed.push({
        work,
        failure: planRetry(error, { id: work.jobId, failures: work.failures }, log),
      });
      return undefined;
    }
  };
  const runInOrder = async ([first, ...others]: ClaimedLaneJob[]) => {
    if (!first) return;
    let outcome = await runOne(first);
    for (const work of others) {
      outcome = await runOne(work, { outcome, elapsedMs: performance.now() - startedAtMs });
    }
  };
  await Promise.all(groupByOrderingKey(handler, claimed).map(runInOrder));
  return ended;
}

/** Groups jobs that must run one after the other. */
function groupByOrderingKey(handler: LaneHandler, claimed: readonly ClaimedLaneJob[]): ClaimedLaneJob[][] {
  const groups = new Map<string, ClaimedLaneJob[]>();
  for (const work of claimed) {
    const key = handler.orderingKey(work);
    // A job without an ordering key is a group of its own.
    const name = key === null ? `job ${work.jobId}` : `key ${key}`;
    groups.set(name, [...(groups.get(name) ?? []), work]);
  }
  return [...groups.values()];
}

function recordEnded(sql: Sql, handler: LaneHandler, { done, failed }: Ended): Fragment[] {
  const failures = failed.map(({ work: { jobId, claim }, failure }) => failJob(sql, jobId, claim, failure));
  if (done.length === 0) return failures;
  const { effects, outcomes } = handler.record(sql, done);
  // Jobs last: what changes a webhook locks it before its jobs.
  return [...effects, settleJobs(sql, outcomes), ...failures];
}
