// Response schema of invitations. A request to invite has the body of a new user.
import { z } from 'zod';
import { id, time } from '../fields.ts';
import { userRoles } from '../roles.ts';
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
