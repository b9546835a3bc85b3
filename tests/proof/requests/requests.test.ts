// A short run of generated requests; `npm run proof:requests` makes the long ones.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { prove } from './prove.ts';

const sql = connectDatabase();

test('every response is as documented, and no other tenant is affected', async () => {
  const { findings, answers } = await prove(sql, { seed: 1, count: 250 });
  expect(findings).toEqual([]);
  expect(answers.size).toBeGreaterThan(20);
});
