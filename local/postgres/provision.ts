// Turns an empty server into a Supabase project: creates the platform's objects, then applies migrations and seed with the Supabase CLI.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { runChild } from '../processes.ts';
import type { PostgresServer } from './server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const textOf = (name: string) => readFile(new URL(name, import.meta.url), 'utf8');

/** Creates the roles, schemas and tables of Supabase if missing. */
export async function providePlatform(server: PostgresServer, password: string): Promise<void> {
  const sql = postgres(server.superuserUrl, { max: 1, onnotice: () => {} });
  try {
    const [row] = await sql`
      select to_regclass('net.http_request_queue') is not null as provided,
             to_regclass('auth.sessions') is not null as keeps_sessions`;
    if (row?.provided) {
      // Folders of earlier versions lack these tables.
      if (!row.keeps_sessions) await sql.unsafe(await textOf('auth-sessions.sql'));
      return;
    }
    const files = ['platform.sql', 'auth-storage.sql', 'auth-sessions.sql', 'vault-net.sql'];
    const text = (await Promise.all(files.map(textOf))).join('\n');
    // A single simple-protocol message is one transaction.
    await sql.unsafe(`${text}\nalter role postgres password '${password}';`);
  } finally {
    await sql.end();
  }
}

/** Applies missing migrations and the seed. Throws with the output of the CLI. */
export async function pushMigrations(databaseUrl: string, options: { seed: boolean }): Promise<void> {
  const command = join(root, 'node_modules', '.bin', 'supabase');
  const args = [
    'db',
    'push',
    `--remote=${databaseUrl}`,
    '--yes',
    // Files of branches that were merged later may come before those that are applied.
    '--include-all',
    ...(options.seed ? ['--include-seed'] : []),
  ];
  const { PATH = '', HOME = '' } = process.env;
  const quiet = { NO_COLOR: '1', SUPABASE_TELEMETRY_DISABLED: '1', SUPABASE_NO_UPDATE_NOTIFIER: '1' };
  await runChild(command, args, { cwd: root, env: { PATH, HOME, PGSSLMODE: 'disable', ...quiet } });
}
