// docs/operations/metrics.md lists the metrics that there are.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { METRICS } from '../../../shared/platform/metrics/catalog.ts';

const page = readFileSync(new URL('../../../docs/operations/metrics.md', import.meta.url), 'utf8');

test('lists exactly the existing metrics, with their types', () => {
  const listed = page
    .split('\n')
    .filter((line) => line.startsWith('| `placar_'))
    .flatMap((line) => {
      const [, names = '', type = ''] = line.split('|').map((cell) => cell.trim());
      return Array.from(names.matchAll(/`(placar_\w+)`/g), ([, name]) => `${name} ${type.split(' ')[0]}`);
    });
  expect(listed.sort()).toEqual(METRICS.map(({ name, type }) => `${name} ${type}`).sort());
});
