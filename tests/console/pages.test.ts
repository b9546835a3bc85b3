// The pages of the local console with and without data, its search and its filters. `npm run proof:pages` examines each page in every look.
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { openConsole, useBrowser, wide } from '../support/clients/browser.ts';
import {
  createEmpty,
  createFurnished,
  failedRequest,
  faultsOfPages,
  PATHS,
} from '../support/clients/console-pages.ts';
import { connectDatabase, createTenant } from '../support/database.ts';

const sql = connectDatabase(undefined, { announces: true });
useBrowser();

describe('with data', () => {
  let tenantId: string;
  let paths: string[];
  beforeAll(async () => {
    ({ tenantId, paths } = await createFurnished(sql));
  });

  test('no page has a fault', async () => {
    expect(await faultsOfPages(tenantId, paths, { each: 'one look' })).toEqual([]);
  });

  test('a slash focuses the search, which finds records', async () => {
    const { page } = await openConsole({ tenantId });
    await page.goto('/records/leads');
    await page.keyboard.press('/');
    await page.keyboard.type('Padaria');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=Padaria/);
    expect(await page.getByRole('row').count()).toBe(2);
    expect(await page.getByRole('table').textContent()).toContain('Padaria Central');
  });

  test('everything works without scripts', async () => {
    const { page } = await openConsole({ tenantId }, { ...wide, javaScriptEnabled: false });
    await failedRequest(sql, tenantId);
    await page.goto('/requests');
    await page.getByLabel('Status').selectOption('failed');
    await page.getByLabel('Path begins with').fill('/v1/leads');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL(/status=failed/);
    expect(await page.getByRole('table').textContent()).toContain('/v1/leads');
  });

  test('another tenant can be selected', async () => {
    const { page } = await openConsole({ tenantId });
    await page.goto('/records/leads');
    const own = await page.getByLabel('Tenant').inputValue();
    expect(own).toBe(tenantId);
    await page.getByLabel('Tenant').selectOption({ label: 'Demo' });
    await page.waitForURL('/');
    expect(await page.getByLabel('Tenant').inputValue()).toBe(inject('stack').tenant_id);
  });
});

test('without data, no page has a fault', async () => {
  expect(await faultsOfPages(await createEmpty(sql), PATHS, { each: 'one look', part: 'main' })).toEqual([]);
});

test('the overview suggests first steps, and all of its links work', async () => {
  const { id: tenantId } = await createTenant(sql);
  const { page } = await openConsole({ tenantId });
  await page.goto('/');
  expect(await page.getByRole('heading', { level: 3 }).allTextContents()).toEqual([
    'Report an activity',
    'Add a lead',
    'Create an invoice',
  ]);
  const links = await page.evaluate(() => [...document.links].map(({ href }) => href));
  expect(links).toEqual(
    expect.arrayContaining([expect.stringMatching(/\/functions\/v1\/payments\/health$/)]),
  );
  expect(links).toEqual(expect.arrayContaining([expect.stringMatching(/\/snippets\/standings\.sql$/)]));
  const statuses = await Promise.all(links.map(async (link) => [link, (await fetch(link)).status]));
  expect(statuses).toEqual(links.map((link) => [link, 200]));
});
