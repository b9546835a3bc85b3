// The version that functions report is the one of the package.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { VERSION } from '../../shared/platform/version.ts';

test('the functions report the version of package.json', () => {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  expect(VERSION).toBe(JSON.parse(file).version);
});
