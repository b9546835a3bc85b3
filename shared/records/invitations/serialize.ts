// Serializes invitations for responses.
import { utcTime } from '../../platform/instants.ts';
import type { InvitationRecord } from './queries.ts';
import type { InvitationResponse } from './schema.ts';

export const serializeInvitation = (invitation: InvitationRecord): InvitationResponse => ({
  id: invitation.id,
  user_id: invitation.user_id,
  email: invitation.email,
  role: invitation.role,
  team_id: invitation.team_id,
  status: invitation.status,
  invited_at: utcTime(invitation.invited_at),
  expires_at: utcTime(invitation.expires_at),
});
