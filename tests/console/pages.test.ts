// Every page of the console, with and without data, narrow and wide, dark and light, in both languages.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { isMessage, ptBr } from '../../clients/console/kit/language.ts';
import { furnish } from '../../scripts/demo/furnish.ts';
import { faultsOf, narrow, openConsole, openExamined, useBrowser, wide } from '../support/clients/browser.ts';
import { createCredentials } from '../support/clients/client.ts';
import { allowManyRequests } from '../support/clients/served-console.ts';
import { connectDatabase, createTenant } from '../support/database.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase(undefined, { announces: true });
useBrowser();

const PATHS = [
  '/',
  '/requests',
  '/requests/unknown',
  '/requests/unknown?status=failed',
  '/requests/unknown?q=nothing-is-like-that',
  '/events',
  '/events/deliveries',
  '/events/inbox',
  '/jobs',
  '/mailbox',
  '/standings',
  '/records/deals',
  '/payments/invoices',
];

const looks = [
  ['wide, light, English', { ...wide, colorScheme: 'light' as const }],
  ['narrow, dark, Portuguese', { ...narrow, colorScheme: 'dark' as const, locale: 'pt-BR' }],
] as const;

/** English messages with a translation that a Portuguese page still shows in English. */
async function untranslated(page: Page): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found: string[] = [];
    while (all.nextNode()) {
      // Texts that people wrote may be English words.
      const isName = all.currentNode.parentElement?.closest('code, [lang], td, a, h1, h2, .list-main');
      if (!isName) found.push(all.currentNode.textContent?.trim() ?? '');
    }
    return found;
  });
  return texts.filter((text) => isMessage(text) && ptBr[text] !== text);
}

/** Faults of a tenant's pages in all widths and themes, tested in parallel. */
async function faultsOfPages(tenantId: string, paths: string[], part?: string): Promise<string[]> {
  const found = looks.map(async ([look, options]) => {
    const opened = await openExamined({ tenantId }, options);
    const faults: string[] = [];
    for (const path of paths) {
      const answer = await opened.page.goto(path);
      if (answer?.status() !== 200) faults.push(`${path}: ${answer?.status()}`);
      for (const fault of await faultsOf(opened, part)) faults.push(`${path}, ${look}: ${fault}`);
      if ('locale' in options)
        for (const text of await untranslated(opened.page)) faults.push(`${path} says "${text}" in English`);
    }
    return [...faults, ...opened.complaints];
  });
  return (await Promise.all(found)).flat();
}

describe('with data', () => {
  let tenantId: string;
  let paths: string[];
  beforeAll(async () => {
    const credentials = await createCredentials(sql);
    ({ tenantId } = credentials);
    await allowManyRequests(sql, tenantId);
    const { apiKey: api_key, clientId: client_id, clientSecret: client_secret } = credentials;
    const stack = { ...inject('stack'), tenant_id: tenantId, api_key, client_id, client_secret };
    await furnish(stack, sql, () => {});
    paths = [...PATHS, ...(await pathsOfRecords(tenantId))];
  });

  test('no page has a fault, wide, light and English, or narrow, dark and Portuguese', async () => {
    expect(await faultsOfPages(tenantId, paths)).toEqual([]);
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
    await failedRequest(tenantId);
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

async function pathsOfRecords(tenantId: string): Promise<string[]> {
  const delivered = await waitFor(async () => {
    const [row] = await sql`
      select id, event_id from webhook_deliveries where tenant_id = ${tenantId} and status = 'delivered' limit 1`;
    return row;
  });
  const [other] = await sql`
    select (select id from invoices where tenant_id = ${tenantId} and payment_method_type = 'bolepix' limit 1) as invoice,
           (select id from jobs where tenant_id = ${tenantId} limit 1) as job`;
  const refused = await failedRequest(tenantId);
  const charges = await sql`
    select distinct on (payment_method_type, status) provider_reference as reference
    from invoices where tenant_id = ${tenantId}`;
  return [
    `/events/${delivered.event_id}`,
    `/events/deliveries/${delivered.id}`,
    `/payments/invoices/${other?.invoice}`,
    `/jobs/${other?.job}`,
    `/requests/${refused.request_id}`,
    ...charges.map(({ reference }) => `/pay/${reference}`),
  ];
}

/** The lead that the demo sends in vain. */
function failedRequest(tenantId: string) {
  return waitFor(async () => {
    const [row] = await sql`
      select request_id from request_log where tenant_id = ${tenantId} and status >= 400 and path = '/v1/leads' limit 1`;
    return row;
  });
}

test('without data, no page has a fault, wide and light, or narrow and dark', async () => {
  const { id: tenantId } = await createTenant(sql);
  await allowManyRequests(sql, tenantId);
  // The frame of the page is the same with and without data.
  expect(await faultsOfPages(tenantId, PATHS, 'main')).toEqual([]);
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
