// What the sandbox tells us later: each notification is kept once, and applied by the life of its resource. One that is
// older than what is known, or that no longer fits, changes nothing.
import { WORKER_SESSION } from '../../platform/db/database.ts';
import type { JobDependencies } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import type { Notification } from './notification.ts';
import {
  applyReport,
  insertNotification,
  lockResource,
  markApplied,
  scheduleAnotherTry,
  selectNotification,
} from './queries.ts';

export type Applied = 'applied' | 'known' | 'too_early';

/** Keeps a notification and applies it. `too_early` means that its resource is not ours yet: it stays due and is tried again. */
export async function receiveNotification(
  provider: string,
  notification: Notification,
  dependencies: JobDependencies,
): Promise<Applied> {
  const { kept, applied } = await transactionWithJobs(dependencies, WORKER_SESSION, (sql) => ({
    kept: insertNotification(sql, provider, notification),
    lock: lockResource(sql, notification),
    report: applyReport(sql, provider, notification),
    applied: markApplied(sql, provider, notification),
    again: scheduleAnotherTry(sql, provider, notification),
  }));
  if (applied.length > 0) return 'applied';
  return kept.length > 0 ? 'too_early' : 'known';
}

/** Applies a notification that was kept before its resource was there. */
export async function applyKeptNotification(
  provider: string,
  eventId: string,
  dependencies: JobDependencies,
): Promise<Applied> {
  const [kept] = await dependencies.database.transaction(WORKER_SESSION, (sql) =>
    selectNotification(sql, provider, eventId),
  );
  if (!kept || kept.applied_at) return 'known';
  const { body } = kept;
  const notification = { ...body, state: { ...body.state, at: new Date(body.state.at) } };
  const { applied } = await transactionWithJobs(dependencies, WORKER_SESSION, (sql) => ({
    lock: lockResource(sql, notification),
    report: applyReport(sql, provider, notification),
    applied: markApplied(sql, provider, notification),
  }));
  return applied.length > 0 ? 'applied' : 'too_early';
}
