// Each claim of docs/security.md names a test that there is.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../..', import.meta.url);

test('docs/security.md names only tests that exist', () => {
  const named =
    readFileSync(new URL('docs/security.md', root), 'utf8').match(/tests\/[\w/-]+\.test\.ts/g) ?? [];
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});
