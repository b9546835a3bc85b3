// Each column of a record, including future ones: changing it updates updated_at and emits an event, unless this file lists
// an exception.
import { beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import { createRecordsTenant } from '../support/records/records.ts';

const sql = connectDatabase();

/** Columns whose change does not count as a change of the record: identity, computed columns, and sign-ins. */
const SILENT = [
  'id',
  'tenant_id',
  'updated_at',
  'search',
  'player_id',
  'last_active_at',
  'qualified_at',
  'external_ids',
];

/** The event of a column's change if it is not `.updated`. */
const EVENTS: Record<string, string> = {
  'leads.status': 'lead.status_changed',
  'deals.status': 'deal.won',
  'deals.stage_id': 'deal.stage_changed',
  'users.status': 'user.deactivated',
};

/** New values of columns that do not accept arbitrary values. */
const VALUES: Record<string, string> = {
  'leads.status': `'contacted'`,
  'leads.external_ids': `'{"client": ["a"]}'`,
  'deals.external_ids': `'{"client": ["a"]}'`,
  'users.external_ids': `'{"client": ["a"]}'`,
  'deals.status': `'won'`,
  'deals.priority': `'high'`,
  'users.role': `'viewer'`,
  'users.status': `'deactivated'`,
  'users.email': `'new-' || gen_random_uuid() || '@x.co'`,
};

const REFERENCES: Record<string, string> = {
  owner_id: 'users',
  leader_id: 'users',
  team_id: 'teams',
  parent_team_id: 'teams',
  lead_id: 'leads',
  stage_id: 'pipeline_stages',
};

const BY_TYPE: Record<string, string> = {
  text: `'another'`,
  jsonb: `case jsonb_typeof(COLUMN) when 'array' then '[{"name": "x"}]' else '{"x": 1}' end::jsonb`,
  'text[]': `'{another}'`,
  date: `'2031-02-03'`,
  'double precision': '17.5',
  'timestamp with time zone': `now() + interval '1 hour'`,
};

const columns = await sql<{ table: string; column: string; type: string }[]>`
  select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and c.relname in ('leads', 'deals', 'users', 'teams')
    and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  order by c.relname, a.attnum`;

let tenantId: string;
beforeAll(async () => {
  ({ id: tenantId } = await createRecordsTenant(sql));
  await sql`
    insert into pipeline_stages (tenant_id, name, position, probability) values (${tenantId}, 'Other', 9, 50)`;
});

/** A row of each table, and another one to refer to. */
async function makeRow(table: string): Promise<string> {
  const unique = crypto.randomUUID();
  const [user] = await sql`
    insert into users (tenant_id, name, email) values (${tenantId}, 'U', ${`${unique}@u.co`}) returning id`;
  const [team] = await sql`insert into teams (tenant_id, name) values (${tenantId}, 'T') returning id`;
  const [lead] = await sql`
    insert into leads (tenant_id, name, email) values (${tenantId}, 'L', ${`${unique}@l.co`}) returning id`;
  const [deal] = await sql`
    insert into deals (tenant_id, name, value, stage_id)
    select ${tenantId}, 'D', 1, id from pipeline_stages where tenant_id = ${tenantId} and position = 1 returning id`;
  return { users: user, teams: team, leads: lead, deals: deal }[table]?.id;
}

const referenceTo = (table: string, column: string) =>
  `(select x.id from public.${table} x where x.tenant_id = '${tenantId}' and x.id is distinct from COLUMN and x.id <> r.id
    order by x.id desc limit 1)`.replace('COLUMN', `r.${column}`);

async function change(table: string, column: string, type: string, id: string) {
  const reference = REFERENCES[column];
  const value = VALUES[`${table}.${column}`] ?? (reference ? referenceTo(reference, column) : BY_TYPE[type]);
  if (!value) throw new Error(`say here how ${table}.${column} (${type}) is changed`);
  const [before] =
    await sql`select updated_at::text, to_jsonb(r) as row from ${sql(table)} r where id = ${id}`;
  await sql.unsafe(
    `update public.${table} r set ${column} = ${value.replace('COLUMN', `r.${column}`)} where id = '${id}'`,
  );
  const [after] =
    await sql`select updated_at::text, to_jsonb(r) as row from ${sql(table)} r where id = ${id}`;
  expect(after?.row[column], `${table}.${column} is changed`).not.toEqual(before?.row[column]);
  return after?.updated_at > before?.updated_at;
}

const eventsOf = async (id: string) =>
  (
    await sql`
      select type from events
      where tenant_id = ${tenantId} and data ->> 'id' = ${id} and type not like '%.created' order by id`
  ).map(({ type }) => type);

describe('a change of', () => {
  const counted = columns.filter(({ column }) => !SILENT.includes(column));
  expect(counted.length).toBeGreaterThan(30);

  test.each(counted)(
    '$table.$column moves updated_at and emits its event',
    async ({ table, column, type }) => {
      const id = await makeRow(table);
      expect(await change(table, column, type, id)).toBe(true);
      const updated = `${table.slice(0, -1)}.updated`;
      const expected = table === 'teams' ? [] : [EVENTS[`${table}.${column}`] ?? updated];
      expect(await eventsOf(id)).toEqual(expected);
    },
  );

  test.each([
    { table: 'users', column: 'last_active_at', moves: false },
    // Columns of the row that are not members of the record.
    { table: 'leads', column: 'qualified_at', moves: true },
  ])('$table.$column emits no event', async ({ table, column, moves }) => {
    const id = await makeRow(table);
    expect(await change(table, column, 'timestamp with time zone', id)).toBe(moves);
    expect(await eventsOf(id)).toEqual([]);
  });
});
