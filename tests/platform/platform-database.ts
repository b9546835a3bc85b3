// A separate Postgres for a test file, in the state of a Supabase project before the first migration.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Hono } from 'hono';
import postgres from 'postgres';
import { type HttpServer, serveHttp } from '../../local/http-server.ts';
import { providePlatform } from '../../local/postgres/provision.ts';
import { startPostgres } from '../../local/postgres/server.ts';

export interface PlatformDatabase {
  /** Connected as `postgres`, which is no superuser. */
  sql: postgres.Sql;
  /** Connects as the same. */
  url: string;
  superuser: postgres.Sql;
  /** The folder of the server. */
  dir: string;
  stop(): Promise<void>;
}

export async function startPlatformDatabase(): Promise<PlatformDatabase> {
  const dir = mkdtempSync(join(tmpdir(), 'platform-database-'));
  const password = randomBytes(12).toString('hex');
  const server = await startPostgres({ dir: join(dir, 'postgres'), password, durable: false });
  await providePlatform(server, password);
  const sql = postgres(server.url, { max: 4, onnotice: () => {} });
  const superuser = postgres(server.superuserUrl, { max: 1, onnotice: () => {} });
  return {
    sql,
    url: server.url,
    superuser,
    dir,
    async stop() {
      // Without a limit, connections that were lost in a transaction would be waited for without an end.
      await Promise.all([sql.end({ timeout: 1 }), superuser.end({ timeout: 1 })]);
      await server.stop();
      rmSync(dir, { recursive: true });
    },
  };
}

/** The URL of a migrated database with a login of the functions. */
export async function urlForFunctions({ sql, url }: PlatformDatabase): Promise<string> {
  const [login] = await sql`select * from admin.create_login()`;
  const own = new URL(url);
  own.username = login?.role;
  own.password = login?.password;
  return own.href;
}

/** Serves an app on a free port of 127.0.0.1. */
export const serveApp = (app: Hono): Promise<HttpServer> => serveHttp(getRequestListener(app.fetch));

/** The real client. Realtime is never used, but on Node 20 the client can't be built without a WebSocket. */
export function createSupabaseClient(url: string, key: string): SupabaseClient {
  return createClient(url, key, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: class {} as unknown as typeof WebSocket },
  });
}
