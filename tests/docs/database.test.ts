// What is generated from the database: as the migrated database is.
import { readFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { databaseDocument } from '../../scripts/database/document.ts';
import { databaseTypes } from '../../scripts/database/types.ts';

const url = inject('stack').database_url;
const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

test('docs/database.md is what the catalogue says; npm run database:docs writes it', async () => {
  expect(read('docs/database.md')).toBe(await databaseDocument(url));
});

test('the types of rows are what the catalogue says; npm run database:types writes them', async () => {
  expect(read('shared/platform/db/database.types.ts')).toBe(await databaseTypes(url));
});

test('every link of docs/database.md leads to one of its headings', () => {
  const text = read('docs/database.md');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
  const links = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, target]) => target);
  expect(links.length).toBeGreaterThan(50);
  expect(links.filter((target) => !headings.includes(target ?? ''))).toEqual([]);
  expect(headings.filter((heading, index) => headings.indexOf(heading) !== index)).toEqual([]);
});
