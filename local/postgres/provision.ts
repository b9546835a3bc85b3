// From an empty server to a Supabase project: what the platform provides, then our migrations and seed through the
// Supabase CLI.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { runChild } from '../processes.ts';
import type { PostgresServer } from './server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Makes the roles and schemas that Supabase provides, unless they are there. */
export async function providePlatform(server: PostgresServer, password: string): Promise<void> {
  const sql = postgres(server.superuserUrl, { max: 1, onnotice: () => {} });
  try {
    const [row] = await sql`select to_regclass('net.http_request_queue') is not null as provided`;
    if (row?.provided) return;
    const files = ['platform.sql', 'auth-storage.sql', 'vault-net.sql'].map(
      (name) => new URL(name, import.meta.url),
    );
    const text = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
    // One simple-protocol message is one transaction: all of it or nothing.
    await sql.unsafe(`${text}\nalter role postgres password '${password}';`);
  } finally {
    await sql.end();
  }
}

/** Applies the migrations that are missing, and the seed. Throws with what the CLI printed. */
export async function pushMigrations(databaseUrl: string, options: { seed: boolean }): Promise<void> {
  const command = join(root, 'node_modules', '.bin', 'supabase');
  const args = [
    'db',
    'push',
    `--remote=${databaseUrl}`,
    '--yes',
    ...(options.seed ? ['--include-seed'] : []),
  ];
  const { PATH = '', HOME = '' } = process.env;
  const quiet = { NO_COLOR: '1', SUPABASE_TELEMETRY_DISABLED: '1', SUPABASE_NO_UPDATE_NOTIFIER: '1' };
  await runChild(command, args, { cwd: root, env: { PATH, HOME, PGSSLMODE: 'disable', ...quiet } });
}
