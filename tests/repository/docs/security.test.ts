// Each claim of the security pages names a test that exists.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../..', import.meta.url);

test.each(['docs/security.md', 'docs/operations/security.md'])('%s names only tests that exist', (page) => {
  const named = readFileSync(new URL(page, root), 'utf8').match(/tests\/[\w/-]+\.test\.ts/g) ?? [];
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});
