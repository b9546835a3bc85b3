// Checks the preconditions of a move. All problems are reported at once, and nothing is changed.
import { randomInt } from 'node:crypto';
import type postgres from 'postgres';
import { knownMigrations } from '../doctor/migrations.ts';
import { readOne, type Side } from './side.ts';

export interface CheckOptions {
  tenantId: string;
  slug: string;
  from: Side;
  to: Side;
  /** Plan at the destination. Default: the one with the same name. */
  plan: string | undefined;
}

/** Returns the reasons why the tenant cannot be moved. */
export async function checkMove(options: CheckOptions): Promise<string[]> {
  const { from, to } = options;
  const early = (await Promise.all([checkSide(from), checkSide(to)])).flat();
  if (early.length > 0) return early;
  const same = await areOneDatabase(from, to);
  if (same) return ['Source and destination are the same database.'];
  const [environment, migrations] = await Promise.all([
    checkEnvironment(from, to),
    checkMigrations(from, to),
  ]);
  // Different tables cannot be compared.
  if (migrations.length > 0) return [...environment, ...migrations];
  const others = await Promise.all([checkPlan(options), checkNames(options), checkOtherMoves(options)]);
  return [...environment, ...others.flat()];
}

async function checkSide({ name, sql }: Side): Promise<string[]> {
  const [row] = await sql`
    select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as read_only,
           to_regclass('private.tenant_moves') is null as outdated`;
  return [
    ...(row?.read_only ? [`The database of the ${name} is read-only.`] : []),
    ...(row?.outdated ? [`The database of the ${name} lacks migrations. Run npm run migrate.`] : []),
  ];
}

/** Two connections to one database cannot both have an advisory lock. */
async function areOneDatabase(from: Side, to: Side): Promise<boolean> {
  const key = randomInt(2 ** 47);
  return await from.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${key})`;
    return !(await readOne<boolean>(to.sql`select pg_try_advisory_xact_lock(${key}) as value`));
  });
}

/** Placar's migrations. Projects can have others of their own. */
async function checkMigrations(from: Side, to: Side): Promise<string[]> {
  const known = knownMigrations();
  const read = async ({ sql }: Side) => {
    const rows = await sql<{ version: string }[]>`
      select version from supabase_migrations.schema_migrations where version = any (${known}) order by 1`;
    return rows.map(({ version }) => version);
  };
  const [ours, theirs] = await Promise.all([read(from), read(to)]);
  const missing = ours.filter((version) => !theirs.includes(version));
  const extra = theirs.filter((version) => !ours.includes(version));
  return [
    ...(missing.length > 0
      ? [`The destination lacks migrations (${missing.length}), the first is ${missing[0]}.`]
      : []),
    ...(extra.length > 0 ? [`The source lacks migrations (${extra.length}), the first is ${extra[0]}.`] : []),
  ];
}

async function checkEnvironment(from: Side, to: Side): Promise<string[]> {
  const [ours, theirs] = await Promise.all(
    [from, to].map(({ sql }) => readOne<string>(sql`select environment as value from private.deployment`)),
  );
  return ours === theirs ? [] : [`The source is ${ours}, the destination is ${theirs}.`];
}

async function checkPlan({ from, to, tenantId, plan }: CheckOptions): Promise<string[]> {
  const [ours] = await from.sql`
    select t.plan as name, to_jsonb(p) as limits from public.tenants t join public.plans p on p.name = t.plan where t.id = ${tenantId}`;
  const wanted: string = plan ?? ours?.name;
  const [theirs] = await to.sql`select to_jsonb(p) as limits from public.plans p where p.name = ${wanted}`;
  if (!theirs) return [`The destination has no plan ${wanted}. Name one of its plans with --plan.`];
  if (plan !== undefined) return [];
  const differing = Object.keys(ours?.limits).filter((name) => ours?.limits[name] !== theirs.limits[name]);
  if (differing.length === 0) return [];
  return [
    `The plan ${wanted} has different limits at the destination (${differing.join(', ')}). Accept them with --plan ${wanted}.`,
  ];
}

/** Names that are unique in a deployment, with the query that lists those of a tenant. Hashes only, no key. */
const UNIQUE_NAMES: {
  what: string;
  of: (sql: postgres.Sql, tenantId: string) => Promise<readonly postgres.Row[]>;
  taken: string;
}[] = [
  {
    what: 'tenant ids',
    of: (sql, tenantId) => sql`select t.id::text as name from public.tenants t where t.id = ${tenantId}`,
    taken: 'select id::text as name from public.tenants where id::text = any ($1)',
  },
  {
    what: 'slugs',
    of: (sql, tenantId) => sql`select t.slug as name from public.tenants t where t.id = ${tenantId}`,
    taken: 'select slug as name from public.tenants where slug = any ($1)',
  },
  {
    what: 'API keys',
    of: (sql, tenantId) =>
      sql`select encode(k.key_hash, 'hex') as name from public.api_keys k where k.tenant_id = ${tenantId}`,
    taken: `select id::text as name from public.api_keys where encode(key_hash, 'hex') = any ($1)`,
  },
  {
    what: 'OAuth clients',
    of: (sql, tenantId) =>
      sql`select c.client_id as name from public.oauth_clients c where c.tenant_id = ${tenantId}`,
    taken: 'select client_id as name from public.oauth_clients where client_id = any ($1)',
  },
  {
    what: 'keys of payment providers',
    of: (sql, tenantId) => sql`
      select encode(s.api_key_hash, 'hex') as name from private.provider_secrets s
      join public.provider_accounts a on a.id = s.account_id where a.tenant_id = ${tenantId} and s.api_key_hash is not null`,
    taken: `select account_id as name from private.provider_secrets where encode(api_key_hash, 'hex') = any ($1)`,
  },
];

async function checkNames({ from, to, tenantId }: CheckOptions): Promise<string[]> {
  const problems = UNIQUE_NAMES.map(async ({ what, of, taken }) => {
    const ours = await of(from.sql, tenantId);
    const theirs = await to.sql.unsafe(taken, [ours.map(({ name }) => name)]);
    return theirs.length > 0
      ? [`The destination already has these ${what}: ${theirs.map(({ name }) => name).join(', ')}.`]
      : [];
  });
  return (await Promise.all(problems)).flat();
}

async function checkOtherMoves({ from, to, tenantId, slug }: CheckOptions): Promise<string[]> {
  const read = async ({ name, sql }: Side) => {
    const rows = await sql`
      select id, state from private.tenant_moves
      where (tenant_id = ${tenantId} or slug = ${slug}) and state in ('copying', 'frozen', 'verified', 'moved')`;
    return rows.map(({ id, state }) => `The ${name} has another move of this tenant: ${id}, ${state}.`);
  };
  return (await Promise.all([read(from), read(to)])).flat();
}

/** Whether the databases sort text differently, so that keys have to be compared byte by byte. */
export async function hasDifferentCollation(from: Side, to: Side): Promise<boolean> {
  const read = ({ sql }: Side) =>
    readOne<string>(sql`
      select row(datlocprovider, datcollate, datlocale, pg_database_collation_actual_version(oid))::text as value
      from pg_catalog.pg_database where datname = current_database()`);
  const [ours, theirs] = await Promise.all([read(from), read(to)]);
  return ours !== theirs;
}

/** Estimated size: the tables' bytes per row, times the tenant's rows. The destination needs three times as much. */
export async function estimateBytes({ sql }: Side, rows: number): Promise<number> {
  const perRow = await readOne<number>(sql`
    select coalesce(sum(pg_total_relation_size(c.oid)) / nullif(sum(greatest(c.reltuples, 0)), 0), 0)::double precision as value
    from pg_catalog.pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition`);
  return Math.round(perRow * rows);
}
