// Resends, revokes and accepts invitations.
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
 * Sends the invitation again and restarts its expiry. Throws `not_found`, `conflict` if it is accepted or revoked, and `rate_limited`
 * if the address got an email within the last five minutes or the plan's daily invitation emails are used up.
 */
export async function resendInvitation({ write }: Context, invitationId: string): Promise<InvitationRecord> {
  const written = write((sql) => renewInvitation(sql, invitationId));
  const rows = await withDomainErrors(orRateLimited(written));
  return oneRow(rows).record;
}

async function orRateLimited<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isSqlError(error, 'mailTooSoon')) throw error;
    const { message: reason } = error;
    const retryAfterSeconds = Number(error.detail);
    const sentence =
      reason === 'mails_used_up'
        ? "Your plan's daily limit of invitation emails is reached."
        : 'This address can get only one email every five minutes.';
    throw new ApiError('rate_limited', `${sentence} Retry after ${retryAfterSeconds} s.`, {
      retryAfterSeconds,
      reason,
    });
  }
}

/** Revokes the invitation permanently. Throws `not_found`, and `conflict` if it is accepted or revoked. */
export async function revokeInvitation({ write, tenantId }: Context, invitationId: string): Promise<void> {
  await withDomainErrors(write((sql) => revokeRow(sql, tenantId, invitationId)));
}

const TOKEN = /^[0-9A-Za-z]{40}$/;

/** Accepts the invitation with the token from the emailed link. Throws `not_found`. */
export async function acceptInvitation(dependencies: JobDependencies, token: string): Promise<void> {
  const [row] = TOKEN.test(token)
    ? await transactionWithJobs(dependencies, WORKER_SESSION, (sql) => acceptByToken(sql, token))
    : [];
  if (row?.accepted) return;
  throw new ApiError('not_found', 'This invitation is no longer valid. Ask for a new one.', {
    reason: 'invitation_missing',
  });
}
