// What bodies about teams hold, in canonical names.
import { z } from 'zod';
import { name, reference, uuid } from '../fields.ts';

const MAX_MEMBERS = 1000;

const members = { name, leader_id: reference, parent_team_id: reference };

export const newTeam = z
  .object({
    ...members,
    member_ids: z
      .array(uuid, { error: 'must be an array of UUIDs' })
      .max(MAX_MEMBERS, { error: `must have at most ${MAX_MEMBERS} items` })
      .nullable()
      .optional()
      .describe('Users who become members; each leaves the team they were in.'),
  })
  .meta({ id: 'NewTeam' });

export const teamChange = z.object({ ...members, name: name.optional() }).meta({ id: 'TeamChange' });

export const newMember = z.object({ user_id: uuid }).meta({ id: 'NewMember' });

export type NewTeam = z.output<typeof newTeam>;
export type TeamChange = z.output<typeof teamChange>;
