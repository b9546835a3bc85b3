// Invitations in responses. A request to invite has the body of a new user.
import { z } from 'zod';
import { utcTime } from '../../platform/instants.ts';
import { id, time } from '../fields.ts';
import { userRoles } from '../roles.ts';
import type { InvitationRecord } from './queries.ts';
import { invitationStatuses } from './states.ts';

/** An invitation in a response. */
export const invitationResponse = z
  .object({
    id,
    user_id: id,
    email: z.string(),
    role: z.enum(userRoles),
    team_id: id.nullable(),
    status: z.enum(invitationStatuses),
    invited_at: time,
    expires_at: time,
  })
  .meta({ id: 'Invitation' });

export type InvitationResponse = z.output<typeof invitationResponse>;

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
