// Every table must declare how a move treats it: a missing table would not move with its tenant.
import { expect, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';

const sql = connectDatabase();

test('private.tables_of_tenants_to_move lists exactly the existing tables', async () => {
  const rows = await sql`
    select coalesce(t.name, m.table_name) as name, t.name is null as is_unknown, m.table_name is null as is_missing
    from (
      select format('%I.%I', n.nspname, c.relname) as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'private') and c.relkind in ('r', 'p') and not c.relispartition
    ) as t
    full join private.tables_of_tenants_to_move m on m.table_name = t.name`;
  expect(rows.filter(({ is_missing: isMissing }) => isMissing).map(({ name }) => name)).toEqual([]);
  expect(rows.filter(({ is_unknown: isUnknown }) => isUnknown).map(({ name }) => name)).toEqual([]);
});

test('a table with tenant_id is listed as tenant data, and one without it has a condition', async () => {
  const rows = await sql`
    select m.table_name as name, m.condition, exists (
      select from pg_attribute a where a.attrelid = m.table_name::regclass and a.attname = 'tenant_id' and not a.attisdropped) as of_tenant
    from private.tables_of_tenants_to_move m`;
  const wrong = rows.filter(({ condition, of_tenant: ofTenant }) => ofTenant !== (condition === null));
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

test('a number of a single table is new at the destination if it is the only key', async () => {
  const rows = await sql`
    select m.table_name as name from private.tables_of_tenants_to_move m
    join pg_constraint k on k.conrelid = m.table_name::regclass and k.contype in ('p', 'u') and cardinality(k.conkey) = 1
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1] and a.attidentity <> ''
    where m.how = 'copy'`;
  expect(rows.map(({ name }) => name)).toEqual([]);
});
