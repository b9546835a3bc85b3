// SQL of the table `invitations`; mails and the users' states follow from its rows by trigger.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { RowAs } from '../../platform/db/row.ts';
import type { UserRole } from '../roles.ts';
import type { InvitationStatus } from './states.ts';

/** An invitation in stored form: what `app.invitation_record` gives. */
export type InvitationRecord = RowAs<
  'invitations',
  'tenant_id' | 'token_hash' | 'sent_at' | 'accepted_at',
  { email: string; role: UserRole; team_id: string | null; status: InvitationStatus }
>;

type InvitationRow = { record: InvitationRecord };

export function selectInvitationOfUser(sql: Sql, tenantId: string, userId: string): Statement<InvitationRow> {
  return sql`
    select app.invitation_record(i) as record
    from public.invitations i where i.tenant_id = ${tenantId} and i.user_id = ${userId}`;
}

/** Begins its time anew, which sends it again. Raises `invitation_missing`, `invitation_settled`, and `mailTooSoon`. */
export const renewInvitation = (sql: Sql, invitationId: string): Statement<InvitationRow> =>
  sql`select app.resend_invitation(${invitationId}) as record`;

/** Raises `invitation_missing` and `invitation_settled`. */
export function revokeInvitation(sql: Sql, tenantId: string, invitationId: string): Fragment {
  return sql`
    with invited as (
      select u.id
      from public.invitations i join public.users u on u.tenant_id = i.tenant_id and u.id = i.user_id
      where i.tenant_id = ${tenantId} and i.id = ${invitationId}
      for no key update of u
    ), changed as (
      update public.invitations i set status = 'revoked'
      from invited
      where i.tenant_id = ${tenantId} and i.user_id = invited.id and i.status = 'pending'
      returning to_jsonb(1) as record
    )
    select coalesce((select record from changed), ${whyNotPending(sql, tenantId, invitationId)})`;
}

function whyNotPending(sql: Sql, tenantId: string, invitationId: string): Fragment {
  return sql`app.raise_domain_error(
    case when exists (select from public.invitations i where i.tenant_id = ${tenantId} and i.id = ${invitationId})
         then 'invitation_settled' else 'invitation_missing' end
  )`;
}

/** Accepts the invitation with this token, whichever tenant's it is. */
export const acceptByToken = (sql: Sql, token: string): Statement<{ accepted: boolean }> =>
  sql`select app.accept_invitation(${token}) as accepted`;

/** Where the mail of an invitation goes and who sends it, or from when on it may go. */
export type ClaimedMail =
  | { email: string; by_auth: boolean; wait_until: null }
  | { email: string; by_auth: null; wait_until: Date };

/** Nothing when it is not pending any more, or was asked for again since `invitedAt`. For jobs alone. */
export const claimInvitation = (
  sql: Sql,
  invitationId: string,
  invitedAt: string | null,
): Statement<ClaimedMail> =>
  // As text, of which the driver would make milliseconds otherwise.
  sql`select email, by_auth, wait_until from app.claim_invitation(${invitationId}, ${invitedAt}::text::timestamptz)`;

/** Causes the mail with our own link, for somebody whom Auth knows already. For jobs alone. */
export const mailInvitation = (sql: Sql, invitationId: string, acceptUrl: string): Fragment =>
  sql`select app.mail_invitation(${invitationId}, ${acceptUrl})`;
