// The migrations known to this version: those bundled with the package, or those of the checkout.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Defined by the bundler. */
declare const BUNDLED_MIGRATIONS: string[] | undefined;

/** Migration versions in ascending order. */
export function knownMigrations(): string[] {
  if (typeof BUNDLED_MIGRATIONS !== 'undefined') return BUNDLED_MIGRATIONS;
  const folder = fileURLToPath(new URL('../../../../../migrations', import.meta.url));
  return readdirSync(folder)
    .flatMap((file) => /^(\d+)_.*\.sql$/.exec(file)?.[1] ?? [])
    .sort();
}
