// Teams in requests and responses, in canonical names.
import { z } from 'zod';
import { utcTime } from '../../platform/instants.ts';
import { id, name, reference, time, uuid } from '../fields.ts';
import type { TeamRecord } from './queries.ts';

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
      .describe('Users to add as members. Each leaves their previous team.'),
  })
  .meta({ id: 'NewTeam' });

export const teamChange = z.object({ ...members, name: name.optional() }).meta({ id: 'TeamChange' });

export const newMember = z.object({ user_id: uuid }).meta({ id: 'NewMember' });

/** A team in a response. */
export const teamResponse = z
  .object({
    id,
    name: z.string(),
    leader_id: id.nullable(),
    member_count: z.int().min(0),
    parent_team_id: id.nullable(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Team' });

export type NewTeam = z.output<typeof newTeam>;
export type TeamChange = z.output<typeof teamChange>;
export type TeamResponse = z.output<typeof teamResponse>;

export const serializeTeam = (team: TeamRecord): TeamResponse => ({
  id: team.id,
  name: team.name,
  leader_id: team.leader_id,
  member_count: team.member_count,
  parent_team_id: team.parent_team_id,
  created_at: utcTime(team.created_at),
  updated_at: utcTime(team.updated_at),
});
