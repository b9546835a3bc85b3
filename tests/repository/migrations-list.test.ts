// The migrations that functions expect match the folder.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { migrationsModule } from '../../scripts/database/migrations.ts';

test('shared/platform/db/migrations.ts lists all migrations; npm run database updates it', async () => {
  const file = new URL('../../shared/platform/db/migrations.ts', import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(await migrationsModule());
});
