// Applies the missing migrations of a tree to a database that is in use.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import { isConnectionEnd } from '../../clients/typescript/src/cli/lost-connections.ts';
import { StartError } from '../../local/start-error.ts';
import { versionOf } from '../migrations/statements.ts';
import { applyMigration, createHistory, MigrationError } from './apply-migration.ts';
import { whileConnected } from './connection.ts';
import { Repository } from './git.ts';

interface MigrateOptions {
  /** Folder with `migrations/`. */
  tree: string;
  /** Whether to only list the migrations. */
  dryRun: boolean;
  print: (line: string) => void;
  /** Knows the migrations of all versions. Default: the repository of this checkout. */
  repository?: Repository | undefined;
  /** Waits before each retry, in seconds. For tests. */
  waitsS?: readonly number[] | undefined;
}

/** Waits before the retries of a migration that did not get a lock. */
const WAITS_S = [1, 2, 3, 5, 8, 13, 21, 34, 55, 60];
/** `lock_not_available`, and a deadlock that ended the migration. */
const LOCKED = ['55P03', '40P01'];

/** What to do about an error that running the command again may fix. */
const REMEDIES: Record<string, string> = {
  '57014':
    'Someone canceled the statement, or the file sets a statement timeout: this command sets none. Run it again.',
  '55P03':
    'A table was in use all the time. End the long transactions (pg_stat_activity) and run this again.',
  '40P01':
    'A table was in use all the time. End the long transactions (pg_stat_activity) and run this again.',
};
const REMEDY = 'Fix the cause and run this again.';

/** Lists the missing migrations, then applies them. Throws a {@link StartError} if the database is newer than the tree, or a migration fails. */
export async function migrate(sql: postgres.Sql, options: MigrateOptions): Promise<void> {
  const { tree, dryRun, print } = options;
  const missing = await listMissing(sql, options);
  const [first] = missing;
  if (dryRun || first === undefined) return;
  await whileConnected(sql, createHistory(sql)).catch((error: unknown) => {
    throw asStartError(error, first);
  });
  try {
    for (const name of missing) {
      print(`  Applying ${name}`);
      await applyWithRetries(
        sql,
        { name, sql: readFileSync(join(tree, 'migrations', name), 'utf8') },
        options,
      );
    }
  } finally {
    // A pooler may give the session to another client.
    await sql`reset all`.catch(() => {});
  }
}

async function applyWithRetries(
  sql: postgres.Sql,
  file: { name: string; sql: string },
  { print, waitsS = WAITS_S }: MigrateOptions,
): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await whileConnected(sql, applyMigration(sql, file));
    } catch (error) {
      if (!(error instanceof MigrationError) || isConnectionEnd(error)) throw asStartError(error, file.name);
      print(`  ${error.message}`);
      const waitS = waitsS[tries];
      if (!LOCKED.includes(error.code) || waitS === undefined)
        throw new StartError(
          `A migration failed. The files before it are applied. ${REMEDIES[error.code] ?? REMEDY}`,
        );
      print(`A table is in use. Trying again in ${waitS} s (${tries + 1} of ${waitsS.length}).`);
      await pause(waitS * 1000);
    }
  }
}

/** An error that is not one of the file: it cannot be parsed, or the connection was lost. */
function asStartError(error: unknown, name: string): StartError {
  const reason = error instanceof Error ? error.message : String(error);
  return new StartError(
    `${name} was not applied: ${reason}. The files before it are applied. Run this again: files that are applied do not run twice.`,
  );
}

/** Names of the files that are not applied, in their order. Prints them. */
async function listMissing(
  sql: postgres.Sql,
  { tree, print, repository = new Repository() }: MigrateOptions,
): Promise<string[]> {
  const files = readdirSync(join(tree, 'migrations')).filter((name) => name.endsWith('.sql'));
  const versions = new Map(files.sort().map((name) => [versionOf(name) ?? name, name]));
  const [table] = await sql`select to_regclass('supabase_migrations.schema_migrations') is not null as there`;
  const applied = table?.there
    ? await sql<{ version: string }[]>`select version from supabase_migrations.schema_migrations order by 1`
    : [];
  const unknown = applied.map(({ version }) => version).filter((version) => !versions.has(version));
  rejectNewer(unknown, repository);
  if (unknown.length > 0)
    print(`The database has ${unknown.length} migrations of your own, the first is ${unknown[0]}.`);
  for (const { version } of applied) versions.delete(version);
  print(versions.size === 0 ? 'No migration is missing.' : `${versions.size} migrations are missing:`);
  for (const name of versions.values()) print(`  ${name}`);
  return [...versions.values()];
}

/** A project may have migrations of its own in the same table. Those of other versions of Placar are in git. */
function rejectNewer(unknown: readonly string[], repository: Repository): void {
  const versions = unknown.length > 0 ? repository.migrationsOfAllVersions() : new Set<string>();
  const newer = unknown.filter((version) => versions.has(version));
  if (newer.length === 0) return;
  throw new StartError(
    `The database is newer than this version: it has ${newer.length} migrations that this version does not have, the first is ${newer[0]}. Use the version that is deployed, or a newer one.`,
  );
}
