// Rules for every table, function and view. A new one that violates a rule fails here.
import { expect, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import { inTransaction } from '../support/gamification/gamification.ts';

const sql = connectDatabase();
const SCHEMAS = ['public', 'app', 'admin', 'private'];

const tables = () => sql`
  select c.oid, n.nspname as schema, c.relname as name, c.relrowsecurity as rls, c.relispartition as partition,
         obj_description(c.oid, 'pg_class') as comment,
         exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id') as of_tenant
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ${sql(SCHEMAS)} and c.relkind in ('r', 'p')`;

const names = (rows: Iterable<{ schema?: string; name?: string }>) =>
  [...rows].map((row) => `${row.schema}.${row.name}`);

test('RLS is on for every table', async () => {
  expect(names((await tables()).filter((table) => !table.rls))).toEqual([]);
});

test("every table with tenant data has a policy; partitions inherit their parent's", async () => {
  const policies = await sql`select distinct schemaname || '.' || tablename as name from pg_policies`;
  const having = new Set(policies.map(({ name }) => name));
  const without = (await tables()).filter(
    (table) => table.of_tenant && !table.partition && table.schema === 'public',
  );
  expect(names(without).filter((name) => !having.has(name))).toEqual([]);
});

test('every policy for the role api checks the tenant', async () => {
  const rows = await sql`
    select tablename, policyname, coalesce(qual, '') || coalesce(with_check, '') as rule
    from pg_policies where 'api' = any (roles) and tablename <> 'plans'`;
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter(({ rule }) => !rule.includes('app.tenant_id()'))).toEqual([]);
});

test('every table with tenant data has an index that begins with tenant_id', async () => {
  const rows = await sql`
    select n.nspname as schema, c.relname as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
    where n.nspname = 'public' and c.relkind in ('r', 'p')
      and not exists (select from pg_index i where i.indrelid = c.oid and i.indkey[0] = a.attnum)
      and not exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'p' and k.conkey[1] = a.attnum)`;
  expect(names(rows.filter(({ name }) => name !== 'api_keys' && name !== 'oauth_clients'))).toEqual([]);
});

test('every foreign key between tables with tenant data includes tenant_id, so that no row references another tenant', async () => {
  const rows = await sql`
    select k.conname as name, n.nspname as schema
    from pg_constraint k
    join pg_class child on child.oid = k.conrelid join pg_namespace n on n.oid = child.relnamespace
    where k.contype = 'f' and n.nspname = 'public' and k.conparentid = 0
      and exists (select from pg_attribute a where a.attrelid = k.conrelid and a.attname = 'tenant_id')
      and exists (select from pg_attribute a where a.attrelid = k.confrelid and a.attname = 'tenant_id')
      and not exists (
        select from unnest(k.conkey) as key (attnum)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = key.attnum
        where a.attname = 'tenant_id'
      )`;
  expect(names(rows)).toEqual([]);
});

test('every foreign key has an index', async () => {
  const rows = await sql`
    select conname as name, conrelid::regclass::text as schema
    from pg_constraint k
    where k.contype = 'f' and k.connamespace = 'public'::regnamespace and k.conparentid = 0
      and not exists (
        select from pg_index i
        where i.indrelid = k.conrelid
          and (select array_agg(x order by x) from unnest((i.indkey::int2[])[0:cardinality(k.conkey) - 1]) as x)
              = (select array_agg(x order by x) from unnest(k.conkey) as x)
      )
      and not (cardinality(k.conkey) = 1 and exists (
        select from pg_index i where i.indrelid = k.conrelid and i.indkey[0] = k.conkey[1]
      ))`;
  expect(names(rows)).toEqual([]);
});

test('tables, views, and functions that people or other functions call have a comment', async () => {
  expect(names((await tables()).filter((table) => !table.comment))).toEqual([]);
  const views = await sql`
    select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ${sql(SCHEMAS)} and c.relkind = 'v' and obj_description(c.oid, 'pg_class') is null`;
  expect(names(views)).toEqual([]);
  const functions = await sql`
    select n.nspname as schema, p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ${sql(SCHEMAS)} and obj_description(p.oid, 'pg_proc') is null`;
  expect(names(functions)).toEqual([]);
});

test('every column of every admin view has a comment', async () => {
  const rows = await sql`
    select c.relname as schema, a.attname as name
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = 'admin'::regnamespace and c.relkind = 'v' and col_description(c.oid, a.attnum) is null`;
  expect(names(rows)).toEqual([]);
});

// A SQL-standard body is parsed at creation, so the search_path does not matter, and it can be inlined in the calling statement.
test('no function is executable by PUBLIC, and each has an empty search_path or needs none', async () => {
  const rows = await sql`
    select n.nspname as schema, p.proname as name,
           exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0) as public,
           'search_path=""' = any (coalesce(p.proconfig, '{}')) or p.prosqlbody is not null and not p.prosecdef as safe
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ${sql(SCHEMAS)}`;
  expect(rows.length).toBeGreaterThan(20);
  expect(names(rows.filter((row) => row.public))).toEqual([]);
  expect(names(rows.filter((row) => !row.safe))).toEqual([]);
});

// Supabase lets postgres change some settings of superusers with SET, but not in these two ways, which the local platform cannot forbid.
test('no function changes a setting of superusers by set_config() or in its definition', async () => {
  const rows = await sql`
    select n.nspname as schema, p.proname as name
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace, pg_parameter_acl s
    where n.nspname in ${sql(SCHEMAS)}
      and (p.prosrc ~ ('set_config[(]\\s*''' || s.parname)
           or exists (select from unnest(p.proconfig) as setting where setting like s.parname || '=%'))`;
  expect(names(rows)).toEqual([]);
});

// The local platform has the default privileges of a hosted project: tests/platform/supabase-platform.test.ts.
test('platform roles that anyone can assume have no privileges', async () => {
  const rows = await sql`
    select n.nspname as schema, granted.name
    from (
      select relnamespace as namespace, relname as name, relacl as acl from pg_class
      union all select pronamespace, proname, proacl from pg_proc
    ) as granted
    join pg_namespace n on n.oid = granted.namespace, aclexplode(granted.acl) as a
    where n.nspname in ${sql(SCHEMAS)}
      and a.grantee in (0::oid, 'anon'::regrole, 'authenticated'::regrole)`;
  expect(names(rows)).toEqual([]);
});

test('nor on future objects', async () => {
  await inTransaction(sql, async (tx) => {
    await tx`create table public.comes_later (id bigint generated always as identity)`;
    await tx`create function public.comes_later() returns integer language sql as 'select 1'`;
    const reached = await tx`
      select role
      from unnest(array['anon', 'authenticated', 'service_role']) as role
      where has_table_privilege(role, 'public.comes_later', 'select, insert, update, delete, truncate')
         or has_sequence_privilege(role, 'public.comes_later_id_seq', 'usage, select, update')
         or has_function_privilege(role, 'public.comes_later()', 'execute')`;
    expect(reached).toEqual([]);
  });
});

test('views run with the privileges of their caller', async () => {
  const rows = await sql`
    select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ${sql(SCHEMAS)} and c.relkind = 'v'
      and not coalesce('security_invoker=true' = any (c.reloptions), false)`;
  expect(names(rows)).toEqual([]);
});

test('api and worker are not superusers, cannot log in and do not bypass RLS', async () => {
  const rows = await sql`
    select rolname, rolsuper, rolcanlogin, rolbypassrls, rolcreaterole from pg_roles where rolname in ('api', 'worker')
    order by rolname`;
  const weak = { rolsuper: false, rolcanlogin: false, rolbypassrls: false, rolcreaterole: false };
  expect(rows).toEqual([
    { rolname: 'api', ...weak },
    { rolname: 'worker', ...weak },
  ]);
});

test('every admin function and view has a snippet', async () => {
  const { readdir, readFile } = await import('node:fs/promises');
  const folder = new URL('../../supabase/snippets/', import.meta.url);
  const files = await readdir(folder);
  const text = (await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')))).join('\n');
  const rows = await sql`
    select proname as name from pg_proc where pronamespace = 'admin'::regnamespace
    union select relname from pg_class where relnamespace = 'admin'::regnamespace and relkind = 'v'`;
  expect(rows.map(({ name }) => name).filter((name) => !text.includes(`admin.${name}`))).toEqual([]);
});

test('no row is older than its last change: a rounded time of creation is rounded down', async () => {
  const rows = await sql`
    select n.nspname as schema, c.relname as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute made on made.attrelid = c.oid and made.attname in ('created', 'created_at')
    join pg_attribute changed on changed.attrelid = c.oid and changed.attname = 'updated_at'
    join pg_attrdef d on d.adrelid = c.oid and d.adnum = made.attnum
    where n.nspname = 'public' and made.atttypmod <> changed.atttypmod and pg_get_expr(d.adbin, d.adrelid) not like 'date_trunc(%'`;
  expect(names(rows)).toEqual([]);
});
