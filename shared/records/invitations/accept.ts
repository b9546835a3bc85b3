import { WORKER_SESSION } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import type { JobDependencies } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { acceptByToken } from './queries.ts';

const TOKEN = /^[0-9A-Za-z]{40}$/;

/** Accepts the invitation that was mailed with this token, for whoever opens its link. Throws `not_found`. */
export async function acceptInvitation(dependencies: JobDependencies, token: string): Promise<void> {
  if (await isAccepted(dependencies, token)) return;
  throw new ApiError('not_found', 'This invitation is not open any more. Ask for another one.', {
    reason: 'invitation_missing',
  });
}

async function isAccepted(dependencies: JobDependencies, token: string): Promise<boolean> {
  if (!TOKEN.test(token)) return false;
  const [row] = await transactionWithJobs(dependencies, WORKER_SESSION, (sql) => acceptByToken(sql, token));
  return row?.accepted ?? false;
}
