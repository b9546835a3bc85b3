// docs/scale.md matches the simulation (`npm run bench:scale write`).
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withTables } from '../../../bench/scale/run.ts';

test('the tables of docs/scale.md match the simulation', () => {
  const document = readFileSync(new URL('../../../docs/scale.md', import.meta.url), 'utf8');
  expect(document.match(/<!-- table: /g)?.length).toBe(6);
  expect(document).toBe(withTables(document));
});
