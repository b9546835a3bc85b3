// Every page of the local console, with and without data, narrow and wide, dark and light, in both languages.
import { expect, test } from 'vitest';
import { useBrowser } from '../../support/clients/browser.ts';
import { createEmpty, createFurnished, faultsOfPages, PATHS } from '../../support/clients/console-pages.ts';
import { connectDatabase } from '../../support/database.ts';

const sql = connectDatabase(undefined, { announces: true });
useBrowser();

test('with data, no page has a fault in any look', async () => {
  const { tenantId, paths } = await createFurnished(sql);
  expect(await faultsOfPages(tenantId, paths)).toEqual([]);
});

test('without data, no page has a fault in any look', async () => {
  expect(await faultsOfPages(await createEmpty(sql), PATHS)).toEqual([]);
});
