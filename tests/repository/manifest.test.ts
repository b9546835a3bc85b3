// Several files describe the deployment, each in its own format: they match.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { functionNames, manifest } from '../../functions/manifest.ts';
import { settings } from '../../shared/platform/env.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The `[functions.<name>]` sections of config.toml, as far as this file uses TOML: one `key = value` a line. */
function configuredFunctions(): Record<string, Record<string, unknown>> {
  const sections = read('supabase/config.toml').split(/^(?=\[)/m);
  return Object.fromEntries(
    sections.flatMap((section) => {
      const [, name] = /^\[functions\.([^\]]+)\]/.exec(section) ?? [];
      if (!name) return [];
      const values = [...section.matchAll(/^(\w+) = (.+)$/gm)];
      return [[name, Object.fromEntries(values.map(([, key, value = '']) => [key, JSON.parse(value)]))]];
    }),
  );
}

test('config.toml deploys the functions of the manifest, all with verify_jwt off', () => {
  const expected = functionNames.map((name) => [
    name,
    {
      enabled: true,
      verify_jwt: false,
      entrypoint: `../functions/${name}/index.ts`,
      import_map: '../deno.json',
      static_files: ['../deno.lock'],
    },
  ]);
  expect(configuredFunctions()).toEqual(Object.fromEntries(expected));
});

test('each folder of functions/ is a function of the manifest', () => {
  const folders = readdirSync(join(root, 'functions'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(folders.sort()).toEqual(functionNames.toSorted());
});

test.each(functionNames)('%s reads exactly the settings that the manifest gives it', (name) => {
  const [, key = '', bracketed = ''] =
    /readEnv\(\.\.\.manifest(?:\.(\w+)|\['([\w-]+)'\])\.settings\)/.exec(
      read(`functions/${name}/index.ts`),
    ) ?? [];
  expect(key || bracketed).toBe(name);
});

test('every group of settings is read by some function', () => {
  const used = new Set<string>(functionNames.flatMap((name) => manifest[name].settings));
  expect(Object.keys(settings).filter((group) => !used.has(group))).toEqual([]);
});

test('the CLI pushes the migrations of the repository', () => {
  expect(readlinkSync(join(root, 'supabase/migrations'))).toBe('../migrations');
});
