import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { type InvitationRecord, renewInvitation } from './queries.ts';

/** Sends it again, with a fresh time to accept it. Throws `not_found`, `conflict` for one that is accepted or revoked. */
export async function resendInvitation(
  { write, tenantId }: Context,
  invitationId: string,
): Promise<InvitationRecord> {
  const [rows] = await withDomainErrors(write((sql) => [renewInvitation(sql, tenantId, invitationId)]));
  return oneRow(rows).record;
}
