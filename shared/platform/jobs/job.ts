// What a job is: a name, a schema for its payload and a handler. The row in `jobs` says what is due; a handler does it.
import type { z } from 'zod';
import type { Database } from '../db/database.ts';
import type { Logger } from '../logging/logger.ts';
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
  lane: string | null;
  /** How often it was claimed, this time included. The outcome is recorded only while this is still the last claim. */
  attempts: number;
  /** Failed tries in a row before this one. */
  failures: number;
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

/** Jobs by their names, each loaded with the first message for it: a function starts without them. */
export type JobLoaders = Readonly<Record<string, () => Promise<JobHandler>>>;

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
