// The types of jobs. A row in `jobs` describes a due job; a handler, with a name and a payload schema, does the work.
import type { z } from 'zod';
import type { Database, Fragment, Sql, Statement } from '../db/database.ts';
import type { Logger } from '../logger.ts';
import type { Queue } from './publish.ts';

/**
 * The result of a job: it is done, or it runs again at exactly this time, or after this many seconds with `jitter`. Never compute
 * `againAt` from the worker's clock, which may be off by minutes. With `waitsForSweep`, no message announces the next run: the sweep finds
 * it within a minute of its time, and jobs that share messages (`publish.ts`) then need fewer.
 */
export type JobResult = 'done' | { againAt: Date } | { retryInSeconds: number; waitsForSweep?: true };

/** A claimed row of `jobs`. */
export interface ClaimedJob {
  id: string;
  tenantId: string | null;
  name: string;
  payload: unknown;
  /** How many times the job was claimed, including this time. The outcome is only recorded if the job was not claimed again. */
  attempts: number;
  /** Consecutive failed attempts before this one. */
  failures: number;
  /** Aborts before the claim expires. Pass it to calls of external services. */
  signal: AbortSignal;
}

export interface JobDependencies {
  database: Database;
  /** Publishes jobs that the work creates. */
  queue: Queue;
  log: Logger;
}

export interface JobHandler<P = unknown> {
  name: string;
  payload: z.ZodType<P>;
  /** Duration of a claim in seconds. Must be longer than the work can take. */
  leaseSeconds: number;
  /** Whether the payload is deleted once the job is done, because it contains secrets such as login links. */
  deletesPayload?: true;
  /**
   * Does the work. It may run again after a crash, so it must be safe to repeat. If it throws, the job is retried later; if it throws
   * `JobFailure`, the job fails permanently. If it returns a time or a number of seconds, the job runs again then.
   */
  run(payload: P, job: ClaimedJob, dependencies: JobDependencies): Promise<JobResult>;
}

/** A claimed job of a lane. Handlers extend it with the data that they read. */
export interface ClaimedLaneJob {
  jobId: string;
  /** Same as `attempts` of a `ClaimedJob`. */
  claim: number;
  failures: number;
  tenantId: string | null;
  /** The trace that the job continues. */
  traceparent: string | null;
}

/** A completed job of a lane and its outcome. */
export interface Done<W, O> {
  work: W;
  outcome: O;
}

/** The result of the preceding job with the same ordering key. */
export interface PreviousResult<O> {
  /** Undefined if that job failed, or was not attempted because an earlier one failed. */
  outcome: O | undefined;
  /** Milliseconds since both jobs were claimed. */
  elapsedMs: number;
}

/** The statements that record a handler's outcomes. */
interface OutcomeStatements {
  /** Statements that store the results of the work. */
  effects: Fragment[];
  /** A query that runs after them. It returns for each job `id`, `claim` and `again_at`, the time of its next run; null if it is done. */
  outcomes: Fragment;
}

/**
 * The handler of jobs with a lane. One message runs many jobs of the lane, several at once. One transaction records the last jobs and
 * claims and reads the next ones (`run-lane.ts`).
 */
export interface LaneHandler<W extends ClaimedLaneJob = ClaimedLaneJob, O = unknown> {
  name: string;
  /** How many jobs of a lane run at once. */
  concurrency: number;
  /** Duration of a claim in seconds. Must be longer than the work on one job can take. */
  leaseSeconds: number;
  /**
   * Reads the data of the jobs: one row per row of `claimed`, which claims jobs and returns these columns of `jobs`: `id`,
   * `tenant_id`, `payload`, `attempts`, `failures`, `traceparent`.
   */
  begin(sql: Sql, claimed: Fragment): Statement<W>;
  /** Jobs with the same key run one after the other, in the order of their rows. Jobs with null run in any order. */
  orderingKey(work: W): string | null;
  /**
   * Does one job, outside any transaction. As with `JobHandler`, it may run again after a crash, and it is retried if it throws.
   * `previous` is the result of the preceding job with the same ordering key.
   */
  run(work: W, dependencies: JobDependencies, previous?: PreviousResult<O>): Promise<O>;
  /** Returns the statements that record completed jobs, in the order of their completion. */
  record(sql: Sql, done: readonly Done<W, O>[]): OutcomeStatements;
  /** Whether to stop working on the lane after this outcome, until one of its jobs is due again. */
  shouldPauseLane(outcome: O): boolean;
}

/** Functions that load a handler, by job name. Handlers load with their first message, to keep startup fast. */
export type JobLoaders = Readonly<Record<string, () => Promise<JobHandler | LaneHandler>>>;

/** Thrown by handlers for work that can never succeed. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure';
}

/** The tenant of a job. Throws `JobFailure` if the job has none. */
export function tenantOf({ tenantId }: ClaimedJob): string {
  if (!tenantId) throw new JobFailure('This job requires a tenant.');
  return tenantId;
}

/** Validates the payload with the handler's schema before each run. Throws `JobFailure` if it is invalid. */
export function defineJob<P>(handler: JobHandler<P>): JobHandler {
  return {
    ...handler,
    async run(payload, job, dependencies) {
      const parsed = handler.payload.safeParse(payload);
      if (!parsed.success) throw new JobFailure(parsed.error.message);
      return await handler.run(parsed.data, job, dependencies);
    },
  };
}
