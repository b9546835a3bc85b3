// The pages of finance and admins on the console on the web in a browser, in both languages, with and without data.
import { expect, test } from 'vitest';
import { faultsOfPages, looks } from '../../support/clients/admin-pages.ts';
import { useBrowser } from '../../support/clients/browser.ts';
import type { Browser } from '../../support/clients/served-sign-in.ts';
import { newPerson, serveStack } from '../../support/clients/stack-people.ts';
import { connectDatabase, createTenant } from '../../support/database.ts';

useBrowser();
const sql = connectDatabase();

async function signedIn(access: string, tenantId: string) {
  const served = await serveStack();
  const { browser, person } = await newPerson(sql, tenantId, access, { served });
  return { browser, person, served };
}

async function faults(browser: Browser, url: string, paths: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const look of Object.keys(looks) as (keyof typeof looks)[]) {
    const cookie = [...browser.cookies].find(([name]) => name !== 'placar-form')?.join('=') ?? '';
    found.push(...(await faultsOfPages({ url, cookie }, look, paths)));
  }
  return found;
}

/** Submits a form, and returns the path of the page that follows. */
async function create(browser: Browser, path: string, values: Record<string, string>): Promise<string> {
  const { status, location } = await browser.submit(path, path, values);
  expect([path, status]).toEqual([path, 303]);
  return location.replace(/\?.*/, '');
}

test('no page of finance has a fault', async () => {
  const tenant = await createTenant(sql);
  await sql`insert into payout_approval_rules values (${tenant.id}, 'BRL', 100)`;
  const { browser, served } = await signedIn('finance', tenant.id);
  const lists = ['/', '/payments/invoices', '/payments/payouts', '/payments/ledger'];
  expect(await faults(browser, served.url, lists)).toEqual([]);
  const invoice = await create(browser, '/payments/invoices/new', {
    'customer.name': 'Padaria Central',
    'customer.email': 'billing@padaria.example',
    'customer.country': 'BR',
    'customer.tax_id': '52998224725',
    amount: '1234.50',
    currency: 'BRL',
    description: 'Annual plan',
    'payment_method.type': 'bolepix',
  });
  const payout = await create(browser, '/payments/payouts/new', {
    'beneficiary.name': 'Ana Souza',
    'beneficiary.document': '39053344705',
    'beneficiary.phone': '+5511987654321',
    amount: '150',
    currency: 'BRL',
    purpose: 'prize',
    'beneficiary.bank_account.type': 'pix',
    'beneficiary.bank_account.key_type': 'email',
    'beneficiary.bank_account.key': 'ana@demo.example',
  });
  const forms = ['/payments/invoices/new', '/payments/payouts/new', `${invoice}/nfse`, `${payout}/reject`];
  expect(await faults(browser, served.url, [...lists, invoice, payout, ...forms])).toEqual([]);
});

test('no page of access has a fault', async () => {
  const tenant = await createTenant(sql);
  const { browser, person, served } = await signedIn('admin', tenant.id);
  const user = `/access/people/${person.userId}`;
  const paths = ['/access/people', user, `${user}/preset`, `${user}/scopes`, '/access/boards/new'];
  expect(await faults(browser, served.url, [...paths, '/access/boards'])).toEqual([]);
  await browser.submit('/access/boards/new', '/access/boards/new', { name: 'Lobby' });
  expect(await faults(browser, served.url, ['/access/boards'])).toEqual([]);
});
