// What answers about invitations hold. The body of a new one is that of a new user.
import { z } from 'zod';
import { id, time } from '../fields.ts';
import { userRoles } from '../roles.ts';
import { invitationStatuses } from './states.ts';

/** An invitation in an answer. */
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
