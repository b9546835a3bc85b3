// What functions say about their own version.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { migrationsModule } from '../../scripts/database/migrations.ts';
import { VERSION } from '../../shared/platform/version.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('it is that of package.json', () => {
  expect(VERSION).toBe(JSON.parse(read('package.json')).version);
});

test('shared/platform/db/migrations.ts lists all migrations; npm run database updates it', async () => {
  expect(read('shared/platform/db/migrations.ts')).toBe(await migrationsModule());
});
