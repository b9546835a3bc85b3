// The files generated from the database match the migrated database.
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, inject, test } from 'vitest';
import { databasePages } from '../../scripts/database/document.ts';
import { databaseTypes } from '../../scripts/database/types.ts';

const url = inject('stack').database_url;
const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const pages = await databasePages(url);

test('docs/database.md and the pages in docs/database match the catalog; npm run database:docs writes them', () => {
  const folder = readdirSync(new URL('../../docs/database', import.meta.url)).map(
    (file) => `database/${file}`,
  );
  expect(['database.md', ...folder].sort()).toEqual([...pages.keys()].sort());
  for (const [page, text] of pages) expect(read(`docs/${page}`), page).toBe(text);
});

test('the row types match the catalog; npm run database:types writes them', async () => {
  expect(read('shared/platform/db/database.types.ts')).toBe(await databaseTypes(url));
});

test('every link of these pages points to one of their headings', () => {
  const headings = new Map(
    Array.from(pages, ([page, text]) => [
      page,
      [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
        heading
          .toLowerCase()
          .replace(/[^\w\s-]/g, '')
          .replaceAll(' ', '-'),
      ),
    ]),
  );
  const links = Array.from(pages).flatMap(([page, text]) =>
    Array.from(text.matchAll(/\]\(([^)#]*)#([^)]+)\)/g), ([, target = '', heading = '']) => ({
      link: `${page}: ${target}#${heading}`,
      path: target === '' ? page : posix.join(posix.dirname(page), target),
      heading,
    })),
  );
  expect(links.length).toBeGreaterThan(400);
  expect(links.filter(({ path, heading }) => !headings.get(path)?.includes(heading))).toEqual([]);
  for (const [page, own] of headings) expect(new Set(own).size, page).toBe(own.length);
});

test('every table is on a page of its domain, which the overview links to', () => {
  const overview = pages.get('database.md') ?? '';
  const tables = Array.from(pages.values()).flatMap((text) =>
    Array.from(text.matchAll(/^## Table `(.+)`$/gm), ([, table = '']) => table),
  );
  expect(tables.length).toBeGreaterThan(50);
  expect(new Set(tables).size).toBe(tables.length);
  const missing = tables.filter((table) => !overview.includes(`- [\`${table.replace(/^public\./, '')}\`](`));
  expect(missing).toEqual([]);
});
