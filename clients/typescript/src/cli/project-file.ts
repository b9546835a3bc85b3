// Files with the settings of a project, such as .env.production: addresses and keys never come from arguments.
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { usageError } from './exit-codes.ts';
import type { Output } from './output.ts';
import { hidePassword } from './settings.ts';

export type ProjectSetting = 'DATABASE_URL' | 'FUNCTIONS_URL' | 'SUPABASE_URL' | 'SUPABASE_SECRET_KEYS';

/** Reads these settings from a file and hides the secret ones in all output. Throws a usage error that names missing ones. */
export function readProjectFile<Name extends ProjectSetting>(
  path: string,
  needed: readonly Name[],
  out: Output,
): Record<Name, string> {
  let found: NodeJS.Dict<string>;
  try {
    found = parseEnv(readFileSync(path, 'utf8'));
  } catch {
    throw usageError(`${path} cannot be read.`);
  }
  hidePassword(found.DATABASE_URL, out);
  for (const key of secretKeysOf(found.SUPABASE_SECRET_KEYS)) out.hide(key);
  const missing = needed.filter((name) => !found[name]);
  if (missing.length > 0) throw usageError(`${path} lacks ${missing.join(', ')}.`);
  // All of them are present.
  return Object.fromEntries(needed.map((name) => [name, found[name]])) as Record<Name, string>;
}

function secretKeysOf(json: string | undefined): string[] {
  try {
    return Object.values(JSON.parse(json ?? '{}')).filter((key) => typeof key === 'string');
  } catch {
    return [];
  }
}

/** The project's secret key. Throws a usage error for a malformed setting. */
export function secretKeyOf(json: string): string {
  const [key] = secretKeysOf(json);
  if (key === undefined)
    throw usageError(
      'SUPABASE_SECRET_KEYS must be a JSON object with a key, such as {"default":"sb_secret_..."}.',
    );
  return key;
}
