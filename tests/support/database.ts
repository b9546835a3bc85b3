// Database access for tests: connections as an admin, and a tenant for each test.
import postgres from 'postgres';
import { afterAll, inject, onTestFinished } from 'vitest';
import { createDatabase, type Database } from '../../shared/platform/db/database.ts';
import type { Env } from '../../shared/platform/env.ts';
import { silentLogger } from '../../shared/platform/logger.ts';

/**
 * A connection as `postgres`, closed after the tests of the file. Jobs that it creates are not published to the callbacks of the stack
 * unless `announces` is set, so that a test can run the jobs itself.
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

/** The database as a function uses it, with its own pool. Closed after the test. */
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
  /** A key with the scope `default:sync` and a limit that no test reaches accidentally. */
  apiKey: string;
  apiKeyId: string;
}

let made = 0;

/** A new tenant. */
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

/** Marks the keys of the tenant as recently used, which requests do after the response, once a minute. */
export const noteUse = (sql: postgres.Sql, { id }: Tenant) =>
  sql`update api_keys set last_used_at = now() + interval '1 hour' where tenant_id = ${id}`;

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * The error of truncating a table and all tables that refer to it. Waits for locks only a moment, and tries again: after a second,
 * Postgres could end the statement of another test as a deadlock's victim.
 */
export async function truncateRefusal(sql: postgres.Sql, table: string): Promise<string> {
  for (;;) {
    try {
      await sql.begin(async (tx) => {
        await tx`set local lock_timeout = '100ms'`;
        await tx`truncate ${tx(table)} cascade`;
      });
      return 'it was emptied';
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) return (error as Error).message;
    }
  }
}
