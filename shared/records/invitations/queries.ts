// SQL of the table `invitations`. Triggers on it send emails and update the status of users.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { RowAs } from '../../platform/db/row.ts';
import type { Language } from '../../platform/messages/translate.ts';
import type { UserRole } from '../roles.ts';
import type { InvitationStatus } from './states.ts';

/** An invitation as stored: the result of `app.invitation_record`. */
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

/** Extends the invitation and sends it again. Raises `invitation_missing`, `invitation_settled`, and `mailTooSoon`. */
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

/** Accepts the invitation with this token, in any tenant. */
export const acceptByToken = (sql: Sql, token: string): Statement<{ accepted: boolean }> =>
  sql`select app.accept_invitation(${token}) as accepted`;

/** The recipient of an invitation email and whether Auth sends it, or the earliest time for sending it. */
type ClaimedMail = { email: string; language: Language } & (
  | { by_auth: boolean; wait_until: null }
  | { by_auth: null; wait_until: Date }
);

/** Returns no row if the invitation is no longer pending, or was sent again after `invitedAt`. Worker only. */
export const claimInvitation = (
  sql: Sql,
  invitationId: string,
  invitedAt: string | null,
): Statement<ClaimedMail> =>
  // Passed as text, because the driver truncates timestamps to milliseconds.
  sql`select email, language, by_auth, wait_until from app.claim_invitation(${invitationId}, ${invitedAt}::text::timestamptz)`;

/** Schedules the email with our own link, for a person who already has an Auth account. Worker only. */
export const mailInvitation = (sql: Sql, invitationId: string, acceptUrl: string): Fragment =>
  sql`select app.mail_invitation(${invitationId}, ${acceptUrl})`;
