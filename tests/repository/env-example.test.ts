// `.env.example` lists every setting with its description and default.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { settings } from '../../shared/platform/env.ts';
import type { Setting } from '../../shared/platform/setting.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Shown {
  name: string;
  value: string;
  /** Behind a `#`: it need not be set. */
  optional: boolean;
}

const lines = read('.env.example').split('\n');
const shown: Shown[] = lines.flatMap((line) => {
  const [, hash, name = '', value = ''] = /^(# )?([A-Z][A-Z_]+)=(.*)$/.exec(line) ?? [];
  return name ? [{ name, value, optional: hash !== undefined }] : [];
});

/** Of the functions, by name. */
const known: Record<string, Setting<unknown>> = Object.assign({}, ...Object.values(settings));

/** The default of a setting, as written in the file; undefined if it is required. */
const defaultOf = ({ absent }: Setting<unknown>): string | undefined => absent && String(absent() ?? '');

test('names exactly the settings of the functions', () => {
  // Variables that the local stack reads from its environment.
  const files = readdirSync(join(root, 'local'), { recursive: true, encoding: 'utf8' });
  const local = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [
      ...read(join('local', file)).matchAll(/process\.env\.([A-Z_]+)|portFrom\('([A-Z_]+)'/g),
    ])
    .map(([, name, port]) => name ?? port ?? '')
    .filter((name) => !['HOME', 'PATH'].includes(name));
  // Variables that `npm run deploy` reads from the file.
  const deploying = read('scripts/deploy/deployment.ts').match(/\bDEPLOY_[A-Z_]+/g) ?? [];
  const names = [...new Set([...Object.keys(known), ...local, ...deploying])];
  expect(shown.map(({ name }) => name).sort()).toEqual(names.sort());
});

test.each(Object.entries(known))('%s: its default, and whether it is required', (name, one) => {
  const line = shown.find((other) => other.name === name);
  const expected = defaultOf(one);
  const fromPlatform = name.startsWith('SUPABASE_');
  expect(line).toEqual({
    name,
    value: expected ?? '',
    optional: expected !== undefined || fromPlatform,
  });
});

test('each setting has a line that explains it', () => {
  const unexplained = shown.filter(({ name }) => {
    let at = lines.findIndex((line) => line.replace(/^# /, '').startsWith(`${name}=`)) - 1;
    // Settings that belong together share a line.
    while (/^(# )?[A-Z_]+=/.test(lines[at] ?? '')) at--;
    return !/^# \S/.test(lines[at] ?? '');
  });
  expect(unexplained).toEqual([]);
});
