import type { Context } from '../../platform/context.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { revokeInvitation as revokeRow } from './queries.ts';

/** Takes it back: it can never be accepted. Throws `not_found`, `conflict` for one that is accepted or revoked. */
export async function revokeInvitation({ write, tenantId }: Context, invitationId: string): Promise<void> {
  await withDomainErrors(write((sql) => revokeRow(sql, tenantId, invitationId)));
}
