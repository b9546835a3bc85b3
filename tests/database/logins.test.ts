// The database logins of the functions and of monitoring: their privileges, and how they are created and removed.
import postgres from 'postgres';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { connectDatabase, createTenant, openDatabase } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();
const { database_url: ownerUrl } = inject('stack');

interface Login {
  role: string;
  url: string;
  sql: postgres.Sql;
}

/** A login for functions that ends with the test. */
async function createLogin(): Promise<Login> {
  const name = `placar_test_${crypto.randomUUID().replaceAll('-', '')}`;
  const [made] = await sql`select * from admin.create_login(${name})`;
  const url = new URL(ownerUrl);
  url.username = made?.role;
  url.password = made?.password;
  const own = postgres(url.href, { max: 1, onnotice: () => {} });
  onTestFinished(async () => {
    await own.end({ timeout: 1 });
    const known = await sql`select from pg_roles where rolname = ${name}`;
    if (known.length > 0) await sql`select admin.drop_login(${name})`;
  });
  return { role: name, url: url.href, sql: own };
}

/** Privileges of a role on objects of Placar and of the platform, except through roles that it would have to set. */
const rightsOf = (role: string) => sql`
  select n.nspname || '.' || c.relname as name, p.privilege
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  cross join unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) as p (privilege)
  where n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast') and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and has_schema_privilege(${role}, n.oid, 'usage') and has_table_privilege(${role}, c.oid, p.privilege)
  union all
  select n.nspname || '.' || c.relname, 'sequence'
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where has_schema_privilege(${role}, n.oid, 'usage')
    and case when c.relkind = 'S' then has_sequence_privilege(${role}, c.oid, 'usage, select, update') end
  union all
  select n.nspname || '.' || f.proname, 'execute'
  from pg_proc f join pg_namespace n on n.oid = f.pronamespace
  where n.nspname in ('app', 'admin', 'private', 'monitor', 'vault', 'auth', 'storage')
    and has_schema_privilege(${role}, n.oid, 'usage') and has_function_privilege(${role}, f.oid, 'execute')
  order by 1, 2`;

test('the login of the functions may call what a request needs before it has a role', async () => {
  const rows = await rightsOf('placar_functions');
  expect(rows.filter(({ name }) => !/^(auth|storage)\./.test(name))).toEqual([
    { name: 'app.admit_client', privilege: 'execute' },
    { name: 'app.admit_person', privilege: 'execute' },
    { name: 'app.find_api_key', privilege: 'execute' },
    { name: 'app.find_caller_client', privilege: 'execute' },
    { name: 'app.find_caller_key', privilege: 'execute' },
    { name: 'app.find_oauth_client', privilege: 'execute' },
    { name: 'app.open_board', privilege: 'execute' },
    { name: 'app.revoke_person_token', privilege: 'execute' },
    { name: 'app.revoke_token', privilege: 'execute' },
    { name: 'app.workspaces_of_account', privilege: 'execute' },
    { name: 'private.admitted_clients', privilege: 'select' },
  ]);
});

test('the monitoring login may read the views of the schema monitor', async () => {
  const rows = await rightsOf('placar_monitor');
  expect(rows.filter(({ name }) => !/^(auth|storage|monitor)\./.test(name))).toEqual([]);
  const [{ views } = {}] =
    await sql`select count(*)::integer as views from pg_views where schemaname = 'monitor'`;
  expect(rows.filter(({ privilege }) => privilege !== 'execute')).toHaveLength(views);
  expect(
    new Set(rows.filter(({ name }) => name.startsWith('monitor.')).map(({ privilege }) => privilege)),
  ).toEqual(new Set(['select']));
});

test('a login of the functions has no attributes of its own and may set four roles', async () => {
  const { role, url } = await createLogin();
  const [attributes] = await sql`
    select rolcanlogin, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolconfig
    from pg_roles where rolname = ${role}`;
  expect(attributes).toEqual({
    rolcanlogin: true,
    rolsuper: false,
    rolbypassrls: false,
    rolcreaterole: false,
    rolcreatedb: false,
    rolreplication: false,
    rolconfig: null,
  });
  const settable = await sql`select rolname from pg_roles where pg_has_role(${role}, oid, 'set') order by 1`;
  expect(settable.map(({ rolname }) => rolname)).toEqual(
    ['api', 'manage', 'payments', 'placar_login', role, 'worker'].sort(),
  );
  expect(new URL(url).password).toMatch(/^[0-9A-Za-z]{32}$/);
});

test('its transactions see only rows of their tenant', async () => {
  const { url } = await createLogin();
  const { id: tenantId } = await createTenant(sql);
  const database = openDatabase({ SUPABASE_DB_URL: url });
  const seen = await database.transaction(
    { role: 'api', tenantId, reads: true },
    (tx) => tx`select id from public.tenants`,
  );
  expect(seen).toEqual([{ id: tenantId }]);
});

describe('it must not', () => {
  test.each([
    ['read a table', 'select * from public.tenants'],
    ['call an admin function', `select admin.set_environment('staging')`],
    ['read Vault', 'select * from vault.decrypted_secrets'],
    ['read accounts', 'select * from auth.users'],
    ['become the owner', 'set role postgres'],
    ['become a role of the project’s API', 'set role service_role'],
    ['create a role', 'create role placar_more'],
  ])('%s', async (_, statement) => {
    const login = await createLogin();
    await expect(login.sql.unsafe(statement)).rejects.toThrow(/permission denied/);
  });
});

test('replacing a login leaves no gap, and dropping one ends its sessions', async () => {
  const [first, second] = [await createLogin(), await createLogin()];
  const { baseUrl } = await startOwnFunction('default-integration', { SUPABASE_DB_URL: second.url });
  const health = () => fetch(`${baseUrl}/default-integration/health`).then(({ status }) => status);
  const [session] = await first.sql`select pg_backend_pid() as pid`;
  // Every role can create one, which would keep the role.
  await first.sql`select lo_create(0)`;
  expect(await health()).toBe(200);
  await sql`select admin.drop_login(${first.role})`;
  await waitFor(
    async () => (await sql`select from pg_stat_activity where pid = ${session?.pid}`).length === 0,
  );
  await expect(first.sql`select 1`).rejects.toThrow();
  expect(await sql`select from pg_roles where rolname = ${first.role}`).toHaveLength(0);
  expect(await health()).toBe(200);
});

test('a monitoring login is dropped in the same way', async () => {
  const name = `placar_test_${crypto.randomUUID().replaceAll('-', '')}`;
  await sql`select admin.create_monitor(${name})`;
  await sql`select admin.drop_login(${name})`;
  expect(await sql`select from pg_roles where rolname = ${name}`).toHaveLength(0);
});

test('rejects invalid and existing names, and roles that are not logins of Placar', async () => {
  await expect(sql`select admin.create_login('postgres2')`).rejects.toThrow(/not a valid name/);
  await expect(sql`select admin.create_login('placar_login')`).rejects.toThrow(/exists already/);
  for (const role of ['postgres', 'api', 'placar_login', 'authenticator', 'nobody'])
    await expect(sql`select admin.drop_login(${role})`).rejects.toThrow(/not a login of Placar/);
});

test('in production, a function warns about a login with more rights than needed', async () => {
  const settings = { APP_ENV: 'production', SUPABASE_DB_URL: ownerUrl };
  const { lines } = await startOwnFunction('default-integration', settings);
  await waitFor(() => lines.some((line) => line.includes('logged in with more rights than needed')));
});
