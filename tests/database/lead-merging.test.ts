// Merging leads: values that only the loser has are kept in the winner, column by column, including future columns.
import { expect, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import { createRecordsTenant } from '../support/records/records.ts';

const sql = connectDatabase();

/** Columns of the winner that do not change: its identity, and computed columns. */
const OF_THE_WINNER = ['id', 'tenant_id', 'name', 'email', 'created_at', 'updated_at', 'search'];

/** Values of columns that do not accept arbitrary values. */
const VALUES: Record<string, string> = {
  status: `'converted'`,
  external_ids: `'{"client": ["a"]}'`,
};

const BY_TYPE: Record<string, string> = {
  text: `'kept'`,
  jsonb: `'{"kept": 1}'`,
  'text[]': `'{kept}'`,
  'double precision': '17.5',
  'timestamp with time zone': `'2026-01-02T03:04:05Z'`,
  date: `'2026-01-02'`,
  boolean: 'true',
};

const columns = await sql<{ column: string; type: string }[]>`
  select a.attname as column, format_type(a.atttypid, a.atttypmod) as type
  from pg_attribute a
  where a.attrelid = 'public.leads'::regclass and a.attnum > 0 and not a.attisdropped`;
const merged = columns.filter(({ column }) => !OF_THE_WINNER.includes(column));

test.each(merged)("the winner gets the loser's value in $column", async ({ column, type }) => {
  const { id: tenantId } = await createRecordsTenant(sql);
  const references: Record<string, string> = {
    owner_id: `(select id from public.users where tenant_id = '${tenantId}' limit 1)`,
    team_id: `(select id from public.teams where tenant_id = '${tenantId}' limit 1)`,
  };
  await sql`insert into teams (tenant_id, name) values (${tenantId}, 'Sales')`;
  await sql`insert into users (tenant_id, name, email) values (${tenantId}, 'Ana', ${`${tenantId}@example.com`})`;
  const value = VALUES[column] ?? references[column] ?? BY_TYPE[type];
  expect(value, `a value of the type ${type}, in BY_TYPE of this test`).toBeDefined();
  const [winner, loser] = await sql`
    insert into leads (tenant_id, name, email)
    values (${tenantId}, 'Winner', 'winner@example.com'), (${tenantId}, 'Loser', 'loser@example.com')
    returning id`;
  await sql.unsafe(
    `update leads set ${column} = ${value} where tenant_id = '${tenantId}' and id = '${loser?.id}'`,
  );
  const read = (id: string) =>
    sql`select ${sql(column)} as value from leads where tenant_id = ${tenantId} and id = ${id}`;
  const expected = await read(loser?.id);
  expect(await read(winner?.id)).not.toEqual(expected);
  await sql`select private.merge_held_leads(${tenantId}, ${winner?.id}, ${loser?.id})`;
  expect(await read(winner?.id)).toEqual(expected);
});
