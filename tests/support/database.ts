// The stack's database as a test uses it: what admins do, and a tenant of one's own.
import postgres from 'postgres';
import { afterAll, inject, onTestFinished } from 'vitest';
import { createDatabase, type Database } from '../../shared/platform/db/database.ts';
import type { Env } from '../../shared/platform/env.ts';
import { silentLogger } from '../../shared/platform/logger.ts';

/**
 * A connection as `postgres`, closed after the file's tests. What it causes is not announced to the stack's own callbacks
 * unless `announces` says so: a test that plays the worker has its jobs to itself.
 */
export function connectDatabase(
  url: string = inject('stack').database_url,
  { announces = false } = {},
): postgres.Sql {
  const connection = announces ? {} : { 'app.announced': 'yes' };
  const sql = postgres(url, { max: 4, onnotice: () => {}, connection });
  afterAll(() => sql.end({ timeout: 1 }));
  return sql;
}

/** The database as a function uses it, with a pool of its own, closed after the test. */
export function openDatabase(settings: Partial<Env<'database'>> = {}): Database {
  const database = createDatabase(
    {
      SUPABASE_DB_URL: inject('env').SUPABASE_DB_URL ?? '',
      DATABASE_POOLER: 'auto',
      DATABASE_POOL_SIZE: 1,
      DATABASE_READ_TIMEOUT_MS: 10_000,
      DATABASE_TIMEOUT_MS: 120_000,
      ...settings,
    },
    silentLogger,
  );
  onTestFinished(() => database.close());
  return database;
}

export interface Tenant {
  id: string;
  /** Key with the scope `default:sync` and a limit that no test reaches by chance. */
  apiKey: string;
  apiKeyId: string;
}

let made = 0;

/** A tenant that nobody else uses. */
export async function createTenant(
  sql: postgres.Sql,
  options: { scopes?: string[]; requestsPerHour?: number } = {},
): Promise<Tenant> {
  const slug = `t-${process.pid}-${Date.now().toString(36)}-${made++}`;
  const [tenant] = await sql`select admin.create_tenant(${`Tenant ${slug}`}, ${slug}) as id`;
  const key = await createApiKey(sql, tenant?.id, options);
  return { id: tenant?.id, apiKey: key.apiKey, apiKeyId: key.id };
}

export async function createApiKey(
  sql: postgres.Sql,
  tenantId: string,
  options: { scopes?: string[]; requestsPerHour?: number; ipAllowlist?: string[]; expiresAt?: Date } = {},
): Promise<{ id: string; apiKey: string }> {
  const { scopes = ['default:sync'], requestsPerHour = 100_000, ipAllowlist = [], expiresAt } = options;
  const [row] = await sql`
    select id, api_key
    from admin.create_api_key(${tenantId}, 'test', ${scopes}, ${requestsPerHour}, ${ipAllowlist}::text[]::cidr[],
                              ${expiresAt?.toISOString() ?? null}::timestamptz)`;
  return { id: row?.id, apiKey: row?.api_key };
}

/** As if the use of the tenant's keys had just been noted, which a request does after its answer once a minute. */
export const noteUse = (sql: postgres.Sql, { id }: Tenant) =>
  sql`update api_keys set last_used_at = now() + interval '1 hour' where tenant_id = ${id}`;

/** Not to be had at once, and taken for a deadlock's victim: other tests use the tables. */
const TABLE_IN_USE = ['55P03', '40P01'];

/**
 * Why the database refuses to empty a table, and those that refer to it. Takes the table only when it is free, so that no other
 * test deadlocks.
 */
export async function truncateRefusal(sql: postgres.Sql, table: string): Promise<string> {
  for (;;) {
    try {
      await sql.begin(async (tx) => {
        await tx`lock table ${tx(table)} in access exclusive mode nowait`;
        await tx`truncate ${tx(table)} cascade`;
      });
      return 'it was emptied';
    } catch (error) {
      if (!TABLE_IN_USE.includes((error as { code?: string }).code ?? '')) return (error as Error).message;
    }
  }
}
