// What the Supabase CLI is told of the project agrees with the project.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { functions } from '../../local/functions.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const names = Object.keys(functions).sort();

test('config.toml, the folders and the local stack agree on the functions', () => {
  const config = readFileSync(join(root, 'supabase/config.toml'), 'utf8');
  const sections = config.split(/^(?=\[)/m).filter((section) => section.startsWith('[functions.'));
  const configured = sections.map((section) => /^\[functions\.([^\]]+)\]/.exec(section)?.[1]);
  expect(configured.sort()).toEqual(names);
  for (const section of sections) expect(section).toMatch(/^verify_jwt = false$/m);
  const folders = readdirSync(join(root, 'functions'), { withFileTypes: true });
  expect(
    folders
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort(),
  ).toEqual(names);
});

test('the migrations that the CLI pushes are those of the repository', () => {
  expect(readlinkSync(join(root, 'supabase/migrations'))).toBe('../migrations');
});
