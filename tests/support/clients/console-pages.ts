// Examines pages of the local console in a browser.
import type { Page } from 'playwright-core';
import type postgres from 'postgres';
import { inject } from 'vitest';
import { isMessage, ptBr } from '../../../clients/console/kit/language.ts';
import { createDemoData } from '../../../scripts/demo/create-demo-data.ts';
import { createTenant } from '../database.ts';
import { waitFor } from '../wait-for.ts';
import { faultsOf, narrow, openExamined, wide } from './browser.ts';
import { createCredentials } from './client.ts';
import { allowManyRequests } from './served-console.ts';

/** Pages that exist without data. */
export const PATHS = [
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

/** Faults of a tenant's pages in all looks. */
export async function faultsOfPages(tenantId: string, paths: string[]): Promise<string[]> {
  const found = looks.map(async ([look, options]) => {
    const opened = await openExamined({ tenantId }, options);
    const faults: string[] = [];
    for (const path of paths) {
      const answer = await opened.page.goto(path);
      if (answer?.status() !== 200) faults.push(`${path}: ${answer?.status()}`);
      for (const fault of await faultsOf(opened)) faults.push(`${path}, ${look}: ${fault}`);
      if ('locale' in options)
        for (const text of await untranslated(opened.page)) faults.push(`${path} says "${text}" in English`);
    }
    return [...faults, ...opened.complaints];
  });
  return (await Promise.all(found)).flat();
}

/** A tenant with demo data, and the paths of all its pages. */
export async function createFurnished(sql: postgres.Sql): Promise<{ tenantId: string; paths: string[] }> {
  const credentials = await createCredentials(sql);
  const { tenantId } = credentials;
  await allowManyRequests(sql, tenantId);
  const { apiKey: api_key, clientId: client_id, clientSecret: client_secret } = credentials;
  const stack = { ...inject('stack'), tenant_id: tenantId, api_key, client_id, client_secret };
  await createDemoData(stack, sql, () => {});
  return { tenantId, paths: [...PATHS, ...(await pathsOfRecords(sql, tenantId))] };
}

export async function createEmpty(sql: postgres.Sql): Promise<string> {
  const { id } = await createTenant(sql);
  await allowManyRequests(sql, id);
  return id;
}

async function pathsOfRecords(sql: postgres.Sql, tenantId: string): Promise<string[]> {
  const delivered = await waitFor(async () => {
    const [row] = await sql`
      select id, event_id from webhook_deliveries where tenant_id = ${tenantId} and status = 'delivered' limit 1`;
    return row;
  });
  const [other] = await sql`
    select (select id from invoices where tenant_id = ${tenantId} and payment_method_type = 'bolepix' limit 1) as invoice,
           (select id from jobs where tenant_id = ${tenantId} limit 1) as job`;
  const refused = await failedRequest(sql, tenantId);
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
export function failedRequest(sql: postgres.Sql, tenantId: string) {
  return waitFor(async () => {
    const [row] = await sql`
      select request_id from request_log where tenant_id = ${tenantId} and status >= 400 and path = '/v1/leads' limit 1`;
    return row;
  });
}
