// Applies the missing migrations of a tree to a database that is in use.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import { StartError } from '../../local/start-error.ts';
import type { Deployment } from './deployment.ts';
import { remoteDatabase, runSupabase } from './supabase-cli.ts';

export interface MigrateOptions {
  deployment: Deployment;
  /** Folder with `migrations/` and `supabase/`. */
  tree: string;
  /** Whether to only list the migrations. */
  dryRun: boolean;
  print: (line: string) => void;
  /** Waits before each retry, in seconds. For tests. */
  waitsS?: readonly number[];
}

/** Waits before the retries of a migration that did not get a lock. */
const WAITS_S = [1, 2, 3, 5, 8, 13, 21, 34, 55, 60];
/** `lock_not_available`, and a deadlock that ended the migration. */
const LOCKED = /SQLSTATE (55P03|40P01)\b/;

/** Branches that were merged later can add files that sort before applied ones. */
export const pushArguments = (deployment: Deployment): string[] => [
  'db',
  'push',
  remoteDatabase(deployment),
  '--include-all',
];

/** Lists the missing migrations, then applies them. Throws a {@link StartError} if the database is newer than the tree, or a migration fails. */
export async function migrate(sql: postgres.Sql, options: MigrateOptions): Promise<void> {
  const { deployment, tree, dryRun, print, waitsS = WAITS_S } = options;
  await listMissing(sql, tree, print);
  const args = [...pushArguments(deployment), dryRun ? '--dry-run' : '--yes'];
  for (let tries = 0, last = ''; ; tries++) {
    const { ok, output } = await runSupabase(args, { tree, deployment, print });
    if (ok) return;
    const stoppedAt = output.match(/^Applying migration .*$/gm)?.at(-1) ?? '';
    // Each file has its own number of retries.
    if (stoppedAt !== last) tries = 0;
    last = stoppedAt;
    const waitS = waitsS[tries];
    if (!LOCKED.test(output) || waitS === undefined)
      throw new StartError(
        'A migration failed. The files before it are applied. Fix the cause and run this again.',
      );
    print(`A table is in use. Trying again in ${waitS} s (${tries + 1} of ${waitsS.length}).`);
    await pause(waitS * 1000);
  }
}

async function listMissing(sql: postgres.Sql, tree: string, print: (line: string) => void): Promise<void> {
  const files = readdirSync(join(tree, 'migrations')).filter((name) => name.endsWith('.sql'));
  const versions = new Map(files.sort().map((name) => [name.split('_')[0] ?? '', name]));
  const [table] = await sql`select to_regclass('supabase_migrations.schema_migrations') is not null as there`;
  const applied = table?.there
    ? await sql<{ version: string }[]>`select version from supabase_migrations.schema_migrations order by 1`
    : [];
  const unknown = applied.map(({ version }) => version).filter((version) => !versions.has(version));
  if (unknown.length > 0) {
    throw new StartError(
      `The database is newer than this version: it has ${unknown.length} migrations that this version does not have, the first is ${unknown[0]}. Use the version that is deployed, or a newer one.`,
    );
  }
  for (const { version } of applied) versions.delete(version);
  print(versions.size === 0 ? 'No migration is missing.' : `${versions.size} migrations are missing:`);
  for (const name of versions.values()) print(`  ${name}`);
}
