// Sending invitations again, revoking and accepting them; loaded with the first request that needs it, so that a function starts quickly.
import type { Context } from '../../platform/access/context.ts';
import { oneRow, WORKER_SESSION } from '../../platform/db/database.ts';
import { isSqlError } from '../../platform/db/sql-errors.ts';
import { ApiError } from '../../platform/errors.ts';
import type { JobDependencies } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { withDomainErrors } from '../domain-errors.ts';
import {
  acceptByToken,
  type InvitationRecord,
  renewInvitation,
  revokeInvitation as revokeRow,
} from './queries.ts';

/**
 * Sends it again, with a fresh time to accept it. Throws `not_found`, `conflict` for one that is accepted or revoked,
 * `rate_limited` while its address was mailed lately or the plan's mails of the day are used up.
 */
export async function resendInvitation({ write }: Context, invitationId: string): Promise<InvitationRecord> {
  const written = write((sql) => renewInvitation(sql, invitationId));
  const rows = await withDomainErrors(orTooSoon(written));
  return oneRow(rows).record;
}

async function orTooSoon<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isSqlError(error, 'mailTooSoon')) throw error;
    const { message: reason } = error;
    const retryAfterSeconds = Number(error.detail);
    const sentence =
      reason === 'mails_used_up'
        ? "The plan's invitation mails of a day are used up"
        : 'This address is mailed once in five minutes';
    throw new ApiError('rate_limited', `${sentence}; try again in ${retryAfterSeconds} s.`, {
      retryAfterSeconds,
      reason,
    });
  }
}

/** Takes it back: it can never be accepted. Throws `not_found`, `conflict` for one that is accepted or revoked. */
export async function revokeInvitation({ write, tenantId }: Context, invitationId: string): Promise<void> {
  await withDomainErrors(write((sql) => revokeRow(sql, tenantId, invitationId)));
}

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
