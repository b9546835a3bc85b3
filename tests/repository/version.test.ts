// The version that functions report is the one of the package.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TESTED_DENO, VERSION } from '../../shared/platform/version.ts';

test('the functions report the version of package.json', () => {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version, devDependencies } = JSON.parse(file);
  expect({ version: VERSION, deno: TESTED_DENO }).toEqual({ version, deno: devDependencies.deno });
});
