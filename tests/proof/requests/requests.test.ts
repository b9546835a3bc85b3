// A short run of generated requests; `npm run proof:requests` makes the long ones.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { prove } from './prove.ts';

const sql = connectDatabase();

test('every response is as documented, and no other tenant is affected', async () => {
  const { findings, answers } = await prove(sql, { seed: 1, count: 1500 });
  expect(findings).toEqual([]);
  // Requests of every interface succeed and fail.
  const statuses = new Map<string, Set<string>>();
  for (const name of answers.keys()) {
    const [surface = '', status = ''] = [name.split(' ')[0], name.split(' ').at(-1)];
    statuses.set(surface, (statuses.get(surface) ?? new Set()).add(status));
  }
  const expected = {
    v1: ['200', '201', '204', '400', '401', '403', '404', '409', '422'],
    payments: ['200', '201', '400', '401', '404', '409', '422'],
    'default-integration': ['200', '400', '401'],
    oauth: ['200', '400', '401'],
  };
  for (const [surface, all] of Object.entries(expected)) {
    expect([...(statuses.get(surface) ?? [])], surface).toEqual(expect.arrayContaining(all));
  }
});
