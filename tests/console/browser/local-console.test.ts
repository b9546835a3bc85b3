// The local console: its search, its filters, its tenants and its first steps.
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { openConsole, useBrowser, wide } from '../../support/clients/browser.ts';
import { createFurnished, failedRequest } from '../../support/clients/console-pages.ts';
import { connectDatabase, createTenant } from '../../support/database.ts';

const sql = connectDatabase(undefined, { announces: true });
useBrowser();

describe('with data', () => {
  let tenantId: string;
  beforeAll(async () => {
    ({ tenantId } = await createFurnished(sql));
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
