// Serializes teams for responses.
import { utcTime } from '../../platform/instants.ts';
import type { TeamRecord } from './queries.ts';
import type { TeamResponse } from './schema.ts';

export const serializeTeam = (team: TeamRecord): TeamResponse => ({
  id: team.id,
  name: team.name,
  leader_id: team.leader_id,
  member_count: team.member_count,
  parent_team_id: team.parent_team_id,
  created_at: utcTime(team.created_at),
  updated_at: utcTime(team.updated_at),
});
