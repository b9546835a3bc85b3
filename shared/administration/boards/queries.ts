// SQL of boards. Boards are named resources that do not change.
import type { Fragment, Sql } from '../../platform/db/database.ts';
import { seasons } from '../gamification/named.ts';
import { idNamed } from '../named/queries.ts';
import type { NamedResource } from '../named/resource.ts';
import { moment } from '../statements.ts';

export const boards: NamedResource = {
  kind: 'board',
  table: 'boards',
  columns: [],
  readers: ['manage:access'],
  record: (sql) => sql`json_build_object(
    'id', r.id, 'name', r.name,
    'team', (select json_build_object('id', t.id, 'name', t.name) from public.teams t where t.tenant_id = r.tenant_id and t.id = r.team_id),
    'season', (select json_build_object('id', s.id, 'name', s.name) from public.seasons s where s.tenant_id = r.tenant_id and s.id = r.season_id),
    'period', r.period, 'expires_at', app.format_utc(r.expires_at), 'created_at', app.format_utc(r.created_at))`,
};

/** Teams, as far as boards name them. */
const teams: NamedResource = {
  kind: 'team',
  table: 'teams',
  columns: [],
  readers: ['read:teams'],
  record: (sql) => sql`json_build_object('id', r.id, 'name', r.name)`,
};

interface BoardRow {
  id: string;
  tokenHash: string;
  name: string;
  /** Id or name. */
  team: string | null;
  season: string | null;
  period: string | null;
  expiresAt: string | null;
}

export const insertBoard = (sql: Sql, tenantId: string, row: BoardRow): Fragment => sql`
  insert into public.boards (id, tenant_id, name, team_id, season_id, period, token_hash, expires_at)
  values (
    ${row.id}, ${tenantId}, ${row.name}, ${idOf(sql, teams, tenantId, row.team)}, ${idOf(sql, seasons, tenantId, row.season)},
    ${row.period}, ${row.tokenHash}, ${moment(sql, row.expiresAt)})`;

const idOf = (sql: Sql, resource: NamedResource, tenantId: string, ref: string | null): Fragment =>
  ref === null ? sql`null::uuid` : idNamed(sql, resource, tenantId, ref, resource.kind);
