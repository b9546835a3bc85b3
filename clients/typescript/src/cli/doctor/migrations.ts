// The migrations that this version of the command line knows: those of the package, or in a checkout its own.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Written in by the bundler. */
declare const BUNDLED_MIGRATIONS: string[] | undefined;

/** Their versions in order. */
export function knownMigrations(): string[] {
  if (typeof BUNDLED_MIGRATIONS !== 'undefined') return BUNDLED_MIGRATIONS;
  const folder = fileURLToPath(new URL('../../../../../migrations', import.meta.url));
  return readdirSync(folder)
    .flatMap((file) => /^(\d+)_.*\.sql$/.exec(file)?.[1] ?? [])
    .sort();
}
