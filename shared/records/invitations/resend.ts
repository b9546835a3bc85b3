import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { isSqlError } from '../../platform/db/sql-errors.ts';
import { ApiError } from '../../platform/errors.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { type InvitationRecord, renewInvitation } from './queries.ts';

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
