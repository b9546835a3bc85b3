// What a job is: a name, a schema for its payload and a handler. The row in `jobs` says what is due; a handler does it.
import type { z } from 'zod';
import type { Database, Fragment, Sql, Statement } from '../db/database.ts';
import type { Logger } from '../logger.ts';
import type { Queue } from './publish.ts';

/**
 * What became of a job: it is done, or it is to run again, at a time that the database named or so many seconds from now. A
 * function's own clock has no part in it: it may be minutes wrong.
 */
export type JobResult = 'done' | { againAt: Date } | { againInSeconds: number };

/** A claimed row. */
export interface ClaimedJob {
  id: string;
  tenantId: string | null;
  name: string;
  payload: unknown;
  /** How often it was claimed, this time included. The outcome is recorded only while this is still the last claim. */
  attempts: number;
  /** Failed tries in a row before this one. */
  failures: number;
  /** Aborts before the claim ends: what asks others is given up then. */
  signal: AbortSignal;
}

export interface JobDependencies {
  database: Database;
  /** Announces jobs that the work ordered. */
  queue: Queue;
  log: Logger;
}

export interface JobHandler<P = unknown> {
  name: string;
  payload: z.ZodType<P>;
  /** How long a claim holds, in seconds: longer than the work can take. */
  leaseSeconds: number;
  /** Whether the payload goes once the job is done: it holds what should not be kept, such as links that let somebody in. */
  forgetsPayload?: true;
  /**
   * Does the work. It may run again after a crash, so it must be safe to repeat. Throwing has it tried again later;
   * throwing `JobFailure` gives it up; giving a time or a wait has it run again then, as planned.
   */
  run(payload: P, job: ClaimedJob, dependencies: JobDependencies): Promise<JobResult>;
}

/** A claimed row of a lane, with what its handler read of it. */
export interface ClaimedInLane {
  jobId: string;
  /** As `attempts` and `failures` of a `ClaimedJob`. */
  claim: number;
  failures: number;
}

/** Work that was done, and what came of it. */
export interface Done<W, O> {
  work: W;
  outcome: O;
}

/** How a job ended that comes before another one of the same key. */
export interface PreviousResult<O> {
  /** Undefined where it failed, or was not tried since one before it failed. */
  outcome: O | undefined;
  /** Since both were claimed. */
  elapsedMs: number;
}

/** What a handler's outcomes lead to. */
export interface LaneRecord {
  /** Statements that write what came of the work. */
  effects: Fragment[];
  /** After them, a query of what becomes of the jobs: `id`, `claim`, and when it runs `again_at`; null when it is done. */
  outcomes: Fragment;
}

/**
 * What a job with a lane is. One message leads to many jobs of its lane, a few at once: one transaction records the last ones
 * and claims and reads the next ones (`run-lane.ts`).
 */
export interface LaneHandler<W extends ClaimedInLane = ClaimedInLane, O = unknown> {
  name: string;
  /** How many jobs of a lane are done at once. */
  concurrency: number;
  /** How long a claim holds, in seconds: longer than the work on one job can take. */
  leaseSeconds: number;
  /** Reads what is to be done: a row for each row of `claimed`, which claims jobs of one lane and gives `id`, `payload`, `attempts`, `failures`. */
  begin(sql: Sql, claimed: Fragment): Statement<W>;
  /** Jobs of the same key are done one after the other, in the order of their rows; null, and no such method, for any order. */
  orderingKey?(work: W): string | null;
  /**
   * Does one job, outside any transaction. As with `JobHandler`: it may run again after a crash, and throwing has it tried again. `before` is
   * how the one of the same key before it ended.
   */
  run(work: W, dependencies: JobDependencies, before?: PreviousResult<O>): Promise<O>;
  /** Records jobs that were done, in the order in which they ended. */
  record(sql: Sql, done: readonly Done<W, O>[]): LaneRecord;
  /** Whether the lane is left alone after this outcome until its job runs again. */
  shouldPauseLane(outcome: O): boolean;
}

/** Jobs by their names, each loaded with the first message for it: a function starts without them. */
export type JobLoaders = Readonly<Record<string, () => Promise<JobHandler | LaneHandler>>>;

/** Thrown by a handler for work that can never succeed. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure';
}

/** Ties the payload's type to its schema. */
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
