// Database checks: connection, environment, grants, partitions, jobs, provider accounts and migrations.
import { type Check, type Finding, ofDatabase, ofFunctionsLogin } from './check.ts';
import { knownMigrations } from './migrations.ts';

const WRONG_DATABASE = 'check that PLACAR_DATABASE_URL is the database of this deployment';

const database = ofDatabase(
  'database',
  'check the URL and its password; if the project is paused, resume it in the dashboard',
  async (sql) => {
    const startedAt = performance.now();
    const [row] = await sql`select current_setting('server_version') as version`;
    return {
      status: 'ok',
      found: `Postgres ${row?.version}, answered in ${Math.round(performance.now() - startedAt)} ms`,
    };
  },
);

const login = ofFunctionsLogin(
  'login',
  'check the role and its password; if the pooler rejects the role, use the direct address or the dedicated pooler',
  async (sql) => {
    const [role] = await sql<{ name: string; excessive: boolean }[]>`
      select rolname as name, rolsuper or rolbypassrls or rolcreaterole as excessive
      from pg_catalog.pg_roles where rolname = session_user`;
    try {
      await sql`begin`;
      await sql`commit`;
    } catch {
      const todo = 'set the pooler to transaction or session mode: a transaction needs a single connection';
      return { status: 'failed', found: 'the pooler ends the connection when a transaction begins', todo };
    }
    const name = role?.name ?? 'unknown';
    if (!role?.excessive)
      return { status: 'ok', found: `${name} has no more rights than the functions need` };
    return {
      status: 'warning',
      found: `${name} has more rights than the functions need`,
      todo: 'select * from admin.create_login(), set DATABASE_URL to this login, and deploy',
    };
  },
);

const monitoring = ofDatabase('monitoring', WRONG_DATABASE, async (sql) => {
  const rows = await sql<{ name: string }[]>`
    select r.rolname as name
    from pg_catalog.pg_auth_members m
    join pg_catalog.pg_roles r on r.oid = m.member
    join pg_catalog.pg_roles g on g.oid = m.roleid
    where g.rolname = 'placar_monitor' and m.inherit_option and r.rolcanlogin order by 1`;
  if (rows.length > 0)
    return { status: 'ok', found: `a login exists: ${rows.map(({ name }) => name).join(', ')}` };
  const todo = 'select * from admin.create_monitor(), and let your monitoring query monitor.alerts';
  return { status: 'warning', found: 'no login for monitoring', todo };
});

const alerts = ofDatabase('alerts', WRONG_DATABASE, async (sql) => {
  const rows = await sql<{ alert: string; severity: string; rows: string }[]>`
    select alert, severity, rows::text from monitor.alerts order by severity, alert`;
  if (rows.length === 0) return { status: 'ok', found: 'none' };
  const failing = rows.filter(({ severity }) => severity === 'page').map(({ alert }) => alert);
  return {
    status: failing.length > 0 ? 'failed' : 'warning',
    failing,
    found: rows.map(({ alert, rows: count }) => `${alert} (${count})`).join(', '),
    todo: 'see monitor.alerts, and Alerts in the documentation for what each means',
  };
});

const environments = ofDatabase(
  'environments',
  'admin.set_environment() and APP_ENV',
  async (sql, { env, apiKey }) => {
    const [row] = await sql`select app.environment() as environment`;
    const environment: string = row?.environment;
    const parts = [['the database', environment]];
    if (env.APP_ENV) parts.push(['APP_ENV', env.APP_ENV]);
    if (apiKey) parts.push(['the API key', apiKey.startsWith('sk_live_') ? 'production' : 'staging']);
    const found = parts.map(([whose, name]) => `${whose}: ${name}`).join(', ');
    if (parts.every(([, name]) => name === environment)) return { status: 'ok', found };
    return {
      status: 'failed',
      found,
      todo: "set the same value with select admin.set_environment('...') and APP_ENV; keys belong to one environment",
    };
  },
);

const migrations = ofDatabase('migrations', WRONG_DATABASE, async (sql) => {
  const rows = await sql<{ version: string }[]>`select version from supabase_migrations.schema_migrations`;
  const applied = new Set(rows.map(({ version }) => version));
  const known = knownMigrations();
  const missing = known.filter((version) => !applied.has(version));
  const latest = known.at(-1) ?? '';
  if (missing.length > 0) {
    const found = `${missing.length} missing, the first is ${missing[0]}`;
    return { status: 'failed', found, todo: 'npm run migrate -- --env-file .env.production' };
  }
  const newer = [...applied].filter((version) => version > latest);
  if (newer.length === 0) return { status: 'ok', found: `up to ${latest}` };
  const todo = 'if they are not your own: npm install placar@latest, or update the checkout';
  return {
    status: 'warning',
    found: `the database has ${newer.length} migrations unknown to this version`,
    todo,
  };
});

const grants = ofDatabase('default grants', WRONG_DATABASE, async (sql) => {
  const tables = await sql<{ name: string; role: string }[]>`
    select distinct c.oid::regclass::text as name, g.grantee::regrole::text as role
    from pg_catalog.pg_class c
    cross join lateral aclexplode(c.relacl) as g
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
      and g.grantee in (select oid from pg_catalog.pg_roles where rolname in ('anon', 'authenticated'))
      and exists (select from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped)
    order by 1, 2`;
  const defaults = await sql<{ role: string }[]>`
    select distinct g.grantee::regrole::text as role
    from pg_catalog.pg_default_acl d
    cross join lateral aclexplode(d.defaclacl) as g
    where d.defaclnamespace = 'public'::regnamespace and d.defaclrole = (select relowner from pg_catalog.pg_class where oid = 'public.tenants'::regclass)
      and g.grantee in (select oid from pg_catalog.pg_roles where rolname in ('anon', 'authenticated', 'service_role'))
    order by 1`;
  const unguarded = await sql<{ name: string }[]>`
    select c.oid::regclass::text as name
    from pg_catalog.pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relrowsecurity
      and exists (select from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped)
    order by 1`;
  const found = [
    ...tables.map(({ name, role }) => `${role} has rights on ${name}`),
    ...defaults.map(({ role }) => `${role} gets default rights on new tables in public`),
    ...unguarded.map(({ name }) => `${name} has no row-level security`),
  ];
  if (found.length === 0) return { status: 'ok', found: 'anon and authenticated have no rights' };
  const todo =
    'revoke all on the table from anon, authenticated; alter default privileges in schema public revoke all on tables from anon, authenticated, service_role; alter table ... enable row level security';
  return { status: 'failed', found: found.slice(0, 5).join('; '), failing: found, todo };
});

const MONTHS_AHEAD = 2;

const partitions = ofDatabase('request log partitions', WRONG_DATABASE, async (sql) => {
  const rows = await sql<{ month: string; there: boolean }[]>`
    select to_char(month, 'YYYY-MM') as month, exists (
             select from pg_inherits where inhparent = 'public.request_log'::regclass
               and inhrelid = to_regclass('public.request_log_' || to_char(month, 'YYYY_MM'))) as there
    from generate_series(date_trunc('month', now() at time zone 'UTC'),
                         date_trunc('month', now() at time zone 'UTC') + make_interval(months => ${MONTHS_AHEAD}), interval '1 month') as month`;
  const missing = rows.filter(({ there }) => !there).map(({ month }) => month);
  const [stray] = await sql`select exists (select from public.request_log_default) as rows`;
  const todo = 'run select app.maintain_request_log(); the sweep runs it daily, so check its schedule';
  if (missing.length > 0)
    return { status: 'failed', found: `missing for ${missing.join(', ')}`, failing: missing, todo };
  if (stray?.rows) return { status: 'warning', found: 'request_log_default contains rows', todo };
  return { status: 'ok', found: `present for at least the next ${MONTHS_AHEAD} months` };
});

/** The sweep runs every minute. */
const OVERDUE_MINUTES = 5;

const jobs: Check = ofDatabase('jobs', WRONG_DATABASE, async (sql) => {
  const failed = await sql<{ name: string; count: number; error: string | null }[]>`
    select name, count(*)::integer as count, (array_agg(last_error order by failed_at desc))[1] as error
    from public.jobs where failed_at is not null and finished_at is null group by name order by 2 desc`;
  const [overdue] = await sql<{ count: number; minutes: number }[]>`
    select count(*)::integer as count, coalesce(extract(epoch from now() - min(due_at)) / 60, 0)::integer as minutes
    from public.jobs
    where finished_at is null and failed_at is null and due_at < now() - make_interval(mins => ${OVERDUE_MINUTES})
      and (locked_until is null or locked_until < now())`;
  const givenUp: Finding = { check: 'failed jobs', status: 'ok', found: 'none' };
  const [first] = failed;
  if (first) {
    givenUp.status = 'failed';
    givenUp.found = failed.map(({ name, count }) => `${count} ${name}`).join(', ');
    givenUp.failing = failed.map(({ name }) => name);
    if (first.error) givenUp.found += `; ${first.error.slice(0, 200)}`;
    givenUp.todo =
      "see last_error in admin.jobs where status = 'failed'; set failed_at = null to retry a job";
  }
  const late: Finding = { check: 'overdue jobs', status: 'ok', found: 'none' };
  if (overdue && overdue.count > 0) {
    late.status = 'failed';
    late.found = `${overdue.count} overdue, the longest by ${overdue.minutes} minutes`;
    late.todo = 'check that the sweep schedule runs and that the callbacks function responds';
  }
  return [givenUp, late];
});

const providers = ofDatabase('payment providers', WRONG_DATABASE, async (sql) => {
  const rows = await sql<
    { name: string; provider: string; status: string; webhook: string; reason: string | null }[]
  >`
    select tenant || ' at ' || provider as name, provider, status, webhook_state as webhook, reason from admin.provider_accounts
    where status in ('connecting', 'failing') or status = 'active' and webhook_state = 'paused' order by 1`;
  if (rows.length === 0) return { status: 'ok', found: 'all accounts work' };
  const found = rows.map(({ name, status, webhook, reason }) => {
    const what = status === 'active' ? `its webhook is ${webhook}` : status;
    return `${name}: ${[what, reason].filter(Boolean).join(', ')}`;
  });
  const failing = rows.filter(({ status }) => status === 'failing').map(({ provider }) => provider);
  const todo = 'see admin.provider_accounts for the reason, and Operations in the documentation for the fix';
  const status = failing.length > 0 ? 'failed' : 'warning';
  return { status, found: found.slice(0, 5).join('; '), failing: [...new Set(failing)], todo };
});

const codes = ofDatabase('activity codes', WRONG_DATABASE, async (sql) => {
  // Steps from one code to the next in the index, because there can be millions of activities.
  const rows = await sql<{ slug: string; code: string }[]>`
    with recursive sent as (
      (select a.tenant_id, a.activity_code from public.activities a where a.voided_at is null order by 1, 2 limit 1)
      union all
      select n.tenant_id, n.activity_code from sent s
      cross join lateral (
        select a.tenant_id, a.activity_code from public.activities a
        where a.voided_at is null and (a.tenant_id, a.activity_code) > (s.tenant_id, s.activity_code) order by 1, 2 limit 1) as n
    )
    select t.slug, s.activity_code as code from sent s join public.tenants t on t.id = s.tenant_id
    where not exists (select from public.mission_codes m where m.tenant_id = s.tenant_id and m.code = s.activity_code)
    order by 1, 2`;
  if (rows.length === 0) return { status: 'ok', found: 'all codes that were sent have a mission' };
  return {
    status: 'warning',
    found: `${rows.length} without a mission earn nothing: ${rows
      .slice(0, 5)
      .map(({ slug, code }) => `${slug} ${code}`)
      .join(', ')}`,
    todo: 'tell the admins of these workspaces to map them to missions: select * from admin.unmapped_activity_codes',
  };
});

const moves = ofDatabase('tenant moves', WRONG_DATABASE, async (sql) => {
  const rows = await sql<{ slug: string; direction: string; state: string }[]>`
    select slug, direction, state from admin.tenant_moves where state not in ('finished', 'rolled_back') order by slug`;
  if (rows.length === 0) return { status: 'ok', found: 'none in progress' };
  return {
    status: 'warning',
    found: rows.map(({ slug, direction, state }) => `${slug} (${direction}): ${state}`).join(', '),
    todo: 'continue with placar tenant status, resume, finish or rollback',
  };
});

export const databaseChecks: readonly Check[] = [
  database,
  login,
  environments,
  migrations,
  grants,
  partitions,
  jobs,
  providers,
  codes,
  moves,
  monitoring,
  alerts,
];
