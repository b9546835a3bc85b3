import type { Providers } from '../../shared/payments/providers/provider.ts';
import type { SandboxControls } from '../../shared/payments/providers/sandbox/controls.ts';
import type { Sql, Work } from '../../shared/platform/db/database.ts';
import type { JobDependencies, JobLoaders } from '../../shared/platform/jobs/job.ts';

/** What this function does when it is called. */
export interface JobRegistry {
  jobs: JobLoaders;
  /** What providers tell of accounts is taken by them. */
  providers?: Providers;
  /** What the sandbox tells is taken by it; absent in production. */
  sandbox?: SandboxControls | undefined;
  /** Statements of the sweep that schedule jobs for what a domain finds unfinished. */
  scheduleUnfinished?(sql: Sql): Work;
}

export type MakeJobRegistry = (dependencies: JobDependencies) => JobRegistry;
