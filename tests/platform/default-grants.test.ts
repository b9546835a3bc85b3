// A hosted project grants everything that postgres creates in public to everyone. The local platform must do the same; otherwise tests of
// our grants would test a server unlike any deployment.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PlatformDatabase, startPlatformDatabase } from './platform-database.ts';

let database: PlatformDatabase;
beforeAll(async () => {
  database = await startPlatformDatabase();
});
afterAll(() => database?.stop());

test('before the first migration, everybody has privileges on tables, sequences and functions of postgres', async () => {
  const { sql } = database;
  await sql`create table public.made (id bigint generated always as identity)`;
  await sql`create function public.made() returns integer language sql as 'select 1'`;
  const rows = await sql`
    select role, has_table_privilege(role, 'public.made', 'select') and has_table_privilege(role, 'public.made', 'truncate')
             and has_sequence_privilege(role, 'public.made_id_seq', 'usage')
             and has_function_privilege(role, 'public.made()', 'execute') as granted
    from unnest(array['anon', 'authenticated', 'service_role']) as role`;
  expect(rows.map(({ granted }) => granted)).toEqual([true, true, true]);
});
