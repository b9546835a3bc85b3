// The local database grants and sets what a Supabase project does, and nothing more: what works only with other grants must fail here.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PlatformDatabase, startPlatformDatabase } from './platform-database.ts';
import * as supabase from './supabase-privileges.ts';

let database: PlatformDatabase;
beforeAll(async () => {
  database = await startPlatformDatabase();
});
afterAll(() => database?.stop());

/** Attributes, memberships and settings by role. */
async function readRoles() {
  const rows = await database.superuser<
    { name: string; attributes: string; memberships: string; settings: string }[]
  >`
    select r.rolname as name,
           concat_ws(' ', case when rolinherit then 'inherit' end, case when rolcanlogin then 'login' end,
                     case when rolsuper then 'superuser' end, case when rolcreaterole then 'createrole' end,
                     case when rolcreatedb then 'createdb' end, case when rolreplication then 'replication' end,
                     case when rolbypassrls then 'bypassrls' end) as attributes,
           (select coalesce(string_agg(g.rolname || case when m.admin_option then '*' else '' end, ' ' order by g.rolname), '')
            from pg_auth_members m join pg_roles g on g.oid = m.roleid where m.member = r.oid) as memberships,
           coalesce((select string_agg(setting, ' ' order by setting) from unnest(r.rolconfig) as setting), '') as settings
    from pg_roles r where r.rolname !~ '^pg_' order by r.rolname`;
  const byName = (member: 'attributes' | 'memberships' | 'settings') =>
    Object.fromEntries(rows.filter((row) => row[member] !== '').map((row) => [row.name, row[member]]));
  return {
    attributes: byName('attributes'),
    memberships: byName('memberships'),
    settings: byName('settings'),
  };
}

interface ObjectRow {
  /** Kind and name, and kind and schema with `.*`. */
  name: string;
  kind: string;
  owner: string;
  privileges: string;
}

/** Every object outside of Postgres' own schemas. */
const readObjects = () => database.superuser<ObjectRow[]>`
  with objects as (
    select 'd' as kind, datname::text as name, datname::text as wildcard, datdba as owner, datacl as acl from pg_database
    where datname = current_database()
    union all
    select 'n', nspname, nspname, nspowner, nspacl from pg_namespace
    union all
    select case relkind when 'S' then 'S' else 'r' end, format('%s.%s', n.nspname, relname), n.nspname || '.*', relowner, relacl
    from pg_class c join pg_namespace n on n.oid = relnamespace where relkind in ('r', 'v', 'm', 'p', 'S')
    union all
    select 'f', format('%s.%s', n.nspname, proname), n.nspname || '.*', proowner, proacl from pg_proc join pg_namespace n on n.oid = pronamespace)
  select o.kind || ' ' || o.name as name, o.kind || ' ' || o.wildcard as kind, o.owner::regrole::text as owner,
         (select coalesce(string_agg(split_part(item, '/', 1), ' ' order by item collate "C"), '')
          from unnest(coalesce(o.acl, acldefault(o.kind::"char", o.owner))::text[]) as item
          where item not like o.owner::regrole::text || '=%') as privileges
  from objects o where o.name !~ '^(pg_catalog|pg_toast|information_schema)' order by 1`;

test('roles, memberships and settings are those of Supabase', async () => {
  const { attributes, memberships, settings } = await readRoles();
  expect(attributes).toEqual(supabase.ROLES);
  expect(memberships).toEqual(supabase.MEMBERSHIPS);
  expect(settings).toEqual(supabase.ROLE_SETTINGS);
});

test('the server is set up as on Supabase, for logins that have no settings of their own', async () => {
  const names = Object.keys(supabase.SERVER_SETTINGS);
  const rows =
    await database.superuser`select name, current_setting(name) as value from unnest(${names}::text[]) as name`;
  expect(Object.fromEntries(rows.map(({ name, value }) => [name, value]))).toEqual(supabase.SERVER_SETTINGS);
  const [locale] = await database.superuser`
    select datlocprovider as provider, datlocale as locale from pg_database where datname = current_database()`;
  expect(locale).toEqual({ provider: 'i', locale: 'en-US' });
});

test('no object has a privilege or an owner that it lacks on Supabase', async () => {
  const differences: string[] = [];
  for (const { name, kind, owner, privileges } of await readObjects()) {
    const there = supabase.OBJECTS[name] ?? supabase.OBJECTS[kind];
    if (!there && privileges === '') continue;
    if (!there) differences.push(`${name} is not listed: ${owner} ${privileges}`);
    else if (owner !== there.owner)
      differences.push(`${name}: owned by ${owner}, on Supabase by ${there.owner}`);
    else differences.push(...beyond(privileges, there.privileges).map((one) => `${name}: ${one}`));
  }
  expect(differences).toEqual([]);
});

/** Privileges of the first list that the second lacks. */
function beyond(here: string, there: string): string[] {
  const known = new Set(there.split(' ').flatMap(letters));
  return here
    .split(' ')
    .flatMap(letters)
    .filter((one) => ![one, `${one}*`, one.replace(/^.*=/, 'everyone=')].some((name) => known.has(name)));
}

function letters(item: string): string[] {
  const [grantee = '', granted = ''] = item.split('=');
  return (granted.match(/.\*?/g) ?? []).map((letter) => `${grantee || 'everyone'}=${letter}`);
}

test('schemas have exactly the privileges that they have on Supabase', async () => {
  const schemas = (await readObjects()).filter(({ name }) => name.startsWith('n '));
  const privileges = schemas.map(({ name, privileges }) => [name, privileges]);
  const listed = Object.entries(supabase.OBJECTS).filter(([name]) => name.startsWith('n '));
  expect(Object.fromEntries(privileges)).toEqual(
    Object.fromEntries(listed.map(([name, { privileges }]) => [name, privileges])),
  );
});

test('default privileges and parameters are those of Supabase', async () => {
  const rows = await database.superuser`
    select format('%s in %s %s', defaclrole::regrole, defaclnamespace::regnamespace, defaclobjtype) as name,
           (select string_agg(split_part(item, '/', 1), ' ' order by item collate "C") from unnest(defaclacl::text[]) as item) as privileges
    from pg_default_acl`;
  const all: Record<string, string> = { r: 'arwdDxtm', f: 'X', S: 'rwU' };
  const listed = Object.entries(supabase.DEFAULT_PRIVILEGES).flatMap(([name, { grantees, grantable }]) =>
    Object.entries(all).map(([kind, letters]) => {
      const granted = grantable ? letters.replaceAll(/./g, '$&*') : letters;
      return [`${name} ${kind}`, grantees.map((grantee) => `${grantee}=${granted}`).join(' ')];
    }),
  );
  expect(Object.fromEntries(rows.map(({ name, privileges }) => [name, privileges]))).toEqual(
    Object.fromEntries(listed),
  );

  const parameters = await database.superuser`
    select parname as name, (select string_agg(split_part(item, '/', 1), ' ') from unnest(paracl::text[]) as item
                             where item not like 'supabase_admin=%') as privileges from pg_parameter_acl`;
  expect(Object.fromEntries(parameters.map(({ name, privileges }) => [name, privileges]))).toEqual(
    supabase.PARAMETERS,
  );
});

test('every change of the schema runs event triggers of the platform', async () => {
  const names =
    await database.superuser`select evtname as name, evtowner::regrole::text as owner from pg_event_trigger order by 1`;
  expect(names).toEqual([
    { name: 'pgrst_ddl_watch', owner: 'supabase_admin' },
    { name: 'pgrst_drop_watch', owner: 'supabase_admin' },
  ]);
});
