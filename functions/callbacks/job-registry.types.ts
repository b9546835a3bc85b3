import type { Providers } from '../../shared/payments/providers/routing.ts';
import type { Fragment, Sql } from '../../shared/platform/db/database.ts';
import type { JobDependencies, JobLoaders } from '../../shared/platform/jobs/job.ts';

/** What this function does when it is called. */
export interface JobRegistry {
  jobs: JobLoaders;
  /** Whose notifications are taken. */
  providers?: Providers;
  /** Statements of the sweep that schedule jobs for what a domain finds unfinished. */
  scheduleUnfinished?(sql: Sql): Fragment[];
}

export type MakeJobRegistry = (dependencies: JobDependencies) => JobRegistry;
