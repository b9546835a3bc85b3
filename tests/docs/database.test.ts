// The files generated from the database match the migrated database.
import { readFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { databasePage } from '../../scripts/database/document.ts';
import { databaseTypes } from '../../scripts/database/types.ts';

const url = inject('stack').database_url;
const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

test('docs/database.md matches the catalog; npm run database writes it', async () => {
  expect(read('docs/database.md')).toBe(await databasePage(url));
});

test('the row types match the catalog; npm run database:types writes them', async () => {
  expect(read('shared/platform/db/database.types.ts')).toBe(await databaseTypes(url));
});
