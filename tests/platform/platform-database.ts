// A separate Postgres for a test file, in the state of a Supabase project before the first migration.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Hono } from 'hono';
import postgres from 'postgres';
import { inject } from 'vitest';
import { type HttpServer, serveHttp } from '../../local/http-server.ts';
import { providePlatform, pushMigrations } from '../../local/postgres/provision.ts';
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

/** Listens on this machine only. */
const PASSWORD = 'of-a-test';

type State = 'platform' | 'migrated';

/** The data of a stopped server in this state. Initialized once for all test files, because that takes most of a start. */
async function provideData(state: State): Promise<string> {
  const shared = join(inject('dir'), `postgres-${state}`);
  if (!existsSync(shared)) {
    const own = mkdtempSync(`${shared}-`);
    const server = await startPostgres({ dir: own, password: PASSWORD, durable: false });
    await providePlatform(server, PASSWORD);
    if (state === 'migrated') await pushMigrations(server.url, { seed: false });
    await server.stop();
    // Another worker may have been faster.
    if (!existsSync(shared)) renameSync(own, shared);
  }
  return join(shared, 'data');
}

export const startPlatformDatabase = (): Promise<PlatformDatabase> => start('platform');

/** One with all migrations, without the seed. */
export const startMigratedDatabase = (): Promise<PlatformDatabase> => start('migrated');

async function start(state: State): Promise<PlatformDatabase> {
  const data = await provideData(state);
  const dir = mkdtempSync(join(tmpdir(), 'platform-database-'));
  mkdirSync(join(dir, 'postgres'));
  // With its owner, which may be another user than this one.
  execFileSync('cp', ['-a', data, join(dir, 'postgres')]);
  const server = await startPostgres({ dir: join(dir, 'postgres'), password: PASSWORD, durable: false });
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
