// A Postgres of its own for a test file, as a Supabase project has it before the first migration.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerType, serve } from '@hono/node-server';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Hono } from 'hono';
import postgres from 'postgres';
import { startPostgres } from '../../local/parts/postgres/server.ts';

export interface PlatformDatabase {
  /** Connected as `postgres`, which is no superuser. */
  sql: postgres.Sql;
  stop(): Promise<void>;
}

export async function startPlatformDatabase(): Promise<PlatformDatabase> {
  const dir = mkdtempSync(join(tmpdir(), 'platform-database-'));
  const password = randomBytes(12).toString('hex');
  const server = await startPostgres({ dir: join(dir, 'postgres'), password, durable: false });
  const superuser = postgres(server.superuserUrl, { max: 1, onnotice: () => {} });
  for (const file of ['platform.sql', 'auth-storage.sql']) {
    const path = new URL(`../../local/parts/postgres/${file}`, import.meta.url);
    await superuser.unsafe(await readFile(path, 'utf8'));
  }
  await superuser.unsafe(`alter role postgres password '${password}'`);
  await superuser.end();
  const sql = postgres(server.url, { max: 4, onnotice: () => {} });
  return {
    sql,
    async stop() {
      await sql.end();
      await server.stop();
      rmSync(dir, { recursive: true });
    },
  };
}

/** Serves an app on a free port of 127.0.0.1. */
export async function serveApp(app: Hono): Promise<{ url: string; close(): Promise<void> }> {
  const server = await new Promise<ServerType>((resolve) => {
    const started: ServerType = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () =>
      resolve(started),
    );
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The real client. Realtime is never used, but on Node 20 the client can't be built without a WebSocket. */
export function createSupabaseClient(url: string, key: string): SupabaseClient {
  return createClient(url, key, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: class {} as unknown as typeof WebSocket },
  });
}
