// Every page of the console for deployments: with and without data, wide and narrow, light and dark, in both languages, and by keyboard.
import { expect, test } from 'vitest';
import { pages, resources } from '../../../clients/console/pages.ts';
import { detailsAndForms, faultsOfPages, serveFurnished } from '../../support/clients/admin-pages.ts';
import { useBrowser } from '../../support/clients/browser.ts';
import { createOwner, serveFor } from '../../support/clients/served-console.ts';
import { connectDatabase } from '../../support/database.ts';

const sql = connectDatabase(undefined, { announces: true });
useBrowser();

const withoutId = (paths: string[]) => [...new Set(paths)].filter((path) => !path.includes(':'));
const LISTS = withoutId([...Object.keys(pages), ...resources.map(({ path }) => path)]);
/** One form of each resource. */
const FORMS = withoutId(
  resources.flatMap(({ path, acts = [] }) => acts.slice(0, 1).map(({ name }) => `${path}/${name}`)),
);

/** Lists whose first row is opened. */
const OPENED = [
  '/records/leads',
  '/records/users',
  '/gamification/tiers',
  '/payments/invoices',
  '/webhooks',
  '/events',
  '/changes',
  '/requests',
];

test('with data, wide, light and English, and by keyboard', async () => {
  const served = await serveFurnished(sql);
  const opened = await Promise.all(OPENED.map((list) => detailsAndForms(served, list)));
  expect(await faultsOfPages(served, 'light', [...LISTS, ...FORMS, ...opened.flat()])).toEqual([]);
});

test('empty, narrow, dark and Portuguese', async () => {
  const served = await serveFor(await createOwner(sql));
  expect(await faultsOfPages(served, 'dark', LISTS, { part: 'main' })).toEqual([]);
});
