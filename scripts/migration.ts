// `npm run migration -- <name>`: writes the migrations that turn the database of `migrations/` into the one that `database/` describes.
import { execFileSync } from 'node:child_process';
import { readdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compareWithSources } from './database/difference.ts';
import { DecisionNeeded, type NewMigration, writeMigrations } from './database/write-migration.ts';
import { checkFolder, describe } from './migrations/folder.ts';

const folder = fileURLToPath(new URL('../migrations', import.meta.url));
const [name = ''] = process.argv.slice(2);
if (!/^[a-z][a-z0-9_]{0,60}$/.test(name)) {
  console.error(
    'Give the migration a name of lower-case letters and underscores: npm run migration -- leads_website',
  );
  process.exit(2);
}

/** The time, or after the last migration if that is later. */
async function nextVersion(): Promise<bigint> {
  const last = (await readdir(folder)).sort().at(-1)?.slice(0, 14) ?? '0';
  const now = BigInt(new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14));
  return now > BigInt(last) ? now : BigInt(last) + 1n;
}

async function write(migrations: readonly NewMigration[]): Promise<void> {
  const names = new Set(migrations.map((migration) => migration.name));
  for (const { name: file, sql } of migrations) await writeFile(join(folder, file), sql);
  const violations = checkFolder(folder).filter(({ file }) => names.has(file));
  for (const violation of violations) console.error(describe(violation));
  for (const file of names) console.log(`migrations/${file}`);
  const left = await compareWithSources();
  if (left.actions.length > 0 || left.rows.inserts.length > 0) {
    for (const file of names) await unlink(join(folder, file));
    throw new Error(`The migration would not suffice: ${left.actions.map(({ sql }) => sql).join('\n')}`);
  }
  if (violations.length > 0) {
    console.error('Decide about the lines above: docs/operations/migrations.md');
    process.exitCode = 1;
  }
  execFileSync('npm', ['run', '--silent', 'database'], { stdio: 'inherit' });
}

try {
  console.log('Comparing database/ with migrations/ ...');
  const migrations = writeMigrations(await compareWithSources(), await nextVersion(), name);
  if (migrations.length === 0)
    console.log('migrations/ make the database that database/ describes. Nothing to write.');
  else await write(migrations);
} catch (error) {
  if (!(error instanceof Error)) throw error;
  console.error(error.message);
  if (error instanceof DecisionNeeded)
    console.error(
      '\nNothing was written. Write the migration for these yourself (docs/operations/migrations.md), then run the command again.',
    );
  process.exitCode = 1;
}
