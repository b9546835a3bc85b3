// `migrations/` make the database that `database/` describes: the same objects, and the same rows that both define.
import { expect, test } from 'vitest';
import { compareWithSources } from '../../scripts/database/difference.ts';

test('database/ and migrations/ describe the same database; npm run migration writes what is missing', async () => {
  const { actions, rows } = await compareWithSources();
  expect(actions.map(({ sql }) => sql)).toEqual([]);
  expect(rows).toEqual({ inserts: [], changed: [] });
});
