// Every column of every record table, as the catalogue has them: changing it moves `updated_at` and emits the documented
// event. A new column is found here by itself.
import type postgres from 'postgres';
import { expect, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import { createWorkspace, inTransaction, type Workspace } from '../support/gamification.ts';

const sql = connectDatabase();

type Table = 'leads' | 'deals' | 'users' | 'teams';

/** What a change of any column emits, and of those that have an event of their own. Teams emit nothing. */
const events: Record<Table, { other: string | null; own: Record<string, string> }> = {
  leads: { other: 'lead.updated', own: { status: 'lead.status_changed' } },
  deals: { other: 'deal.updated', own: { stage_id: 'deal.stage_changed', status: 'deal.won' } },
  users: { other: 'user.updated', own: { status: 'user.deactivated' } },
  teams: { other: null, own: {} },
};

/** Columns whose change is no change of the record: they follow from others, or say when something happened. */
const followers: Record<Table, string[]> = {
  leads: ['qualified_at'],
  deals: [],
  users: ['player_id', 'last_active_at'],
  teams: [],
};

/** What a row is, and the time that the database keeps itself. */
const IDENTITY = ['id', 'tenant_id', 'updated_at'];

interface Column {
  name: string;
  type: string;
  /** Table that it refers to, if any. */
  target: string | null;
  /** Values that a check allows, if it lists them. */
  allowed: string[];
}

async function columnsOf(table: Table): Promise<Column[]> {
  const rows = await sql`
    select a.attname as name, format_type(a.atttypid, null) as type,
           (
             select k.confrelid::regclass::text from pg_constraint k
             where k.conrelid = a.attrelid and k.contype = 'f' and a.attnum = any (k.conkey) and a.attname <> 'tenant_id'
           ) as target,
           coalesce((
             select array(select m[1] from regexp_matches(pg_get_constraintdef(k.oid), '''([^'']+)''::text', 'g') as m)
             from pg_constraint k
             where k.conrelid = a.attrelid and k.contype = 'c' and k.conkey = array[a.attnum]
               and pg_get_constraintdef(k.oid) like '%ARRAY[%'
           ), '{}') as allowed
    from pg_attribute a
    where a.attrelid = ${`public.${table}`}::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    order by a.attnum`;
  return rows.map(({ name, type, target, allowed }) => ({ name, type, target, allowed }));
}

/** SQL of another value than the one that is there. */
function otherValue(tx: postgres.TransactionSql, { name, type, target, allowed }: Column) {
  const column = tx(name);
  if (target) {
    const ids = tx`select t.id from ${tx(target)} t where t.tenant_id = r.tenant_id`;
    return tx`(${ids} and t.id is distinct from r.${column} and t.id::text <> r.id::text order by t.id limit 1)`;
  }
  if (allowed.length > 0) {
    // The second word of a life: won, contacted, deactivated.
    const preferred = ['won', 'contacted', 'deactivated', ...allowed];
    return tx`(
      select v from unnest(${preferred}::text[]) with ordinality as p (v, n)
      where v = any (${allowed}::text[]) and v is distinct from r.${column} order by n limit 1
    )`;
  }
  if (type === 'text') return tx`coalesce(r.${column}, '') || 'x'`;
  if (type === 'text[]') return tx`r.${column} || 'x'::text`;
  if (type === 'jsonb') {
    return tx`case jsonb_typeof(r.${column}) when 'array' then r.${column} || '[{"x": 1}]' else r.${column} || '{"x": 1}' end`;
  }
  if (type === 'boolean') return tx`not r.${column}`;
  if (type === 'date') return tx`coalesce(r.${column}, current_date) + 1`;
  if (type.startsWith('timestamp')) return tx`coalesce(r.${column}, now()) - interval '1 day'`;
  if (type === 'uuid') return tx`gen_random_uuid()`;
  return tx`coalesce(r.${column}, 0) + 1`;
}

/** A row of the table with everything around it that its columns may refer to. */
async function furnish(workspace: Workspace, table: Table): Promise<string> {
  const { sql: tx, id } = workspace;
  const team = async (name: string) =>
    (await tx`insert into teams (tenant_id, name) values (${id}, ${name}) returning id`)[0]?.id as string;
  const teams = [await team('North'), await team('South'), await team('East')];
  await workspace.lead('ana');
  if (table === 'leads') return await workspace.lead('ana', { team_id: teams[0] });
  if (table === 'deals') return await workspace.deal('ana', { lead_id: await workspace.lead('bia') });
  return table === 'users' ? await workspace.userId('ana') : (teams[0] ?? '');
}

const tables: Table[] = ['leads', 'deals', 'users', 'teams'];
const cases = (
  await Promise.all(
    tables.map(async (table) => (await columnsOf(table)).map((column) => ({ table, column }))),
  )
)
  .flat()
  .filter(({ column }) => !IDENTITY.includes(column.name))
  .map(({ table, column }) => ({ table, column, name: `${table}.${column.name}` }));

test.each(cases)('$name', async ({ table, column }) => {
  await inTransaction(sql, async (tx) => {
    const workspace = await createWorkspace(tx);
    const id = await furnish(workspace, table);
    // A deal that is closed says when.
    if (column.name === 'closed_at') await workspace.change('deals', id, { status: 'lost' });
    const before = (await workspace.events()).length;
    const [row] = await tx`select updated_at::text from ${tx(table)} where id = ${id}`;
    const [changed] = await tx`
      update ${tx(table)} r set ${tx(column.name)} = ${otherValue(tx, column)} where r.id = ${id}
      returning updated_at::text`;
    const emitted = (await workspace.events()).slice(before);
    if (followers[table].includes(column.name)) {
      expect([emitted, changed?.updated_at]).toEqual([[], row?.updated_at]);
      return;
    }
    const { other, own } = events[table];
    expect(emitted).toEqual([own[column.name] ?? other].filter((type) => type !== null));
    expect(changed?.updated_at > row?.updated_at).toBe(true);
  });
});

test('there are columns to try', () => {
  expect(cases.length).toBeGreaterThan(40);
});
