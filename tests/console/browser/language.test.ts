// The console and the payer's page speak the reader's language.
import { expect, test } from 'vitest';
import { openConsole, useBrowser, wide } from '../../support/clients/browser.ts';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { createInvoice, createPayTenant } from '../../support/payments/payment-flows.ts';

const sql = connectDatabase(undefined, { announces: true });
useBrowser();

test.each([
  ['pt-BR', 'pt-BR', 'Visão geral'],
  ['pt-PT', 'pt-BR', 'Visão geral'],
  ['en-GB', 'en', 'Overview'],
  ['de-DE', 'en', 'Overview'],
])('a browser that prefers %s gets %s; the switch changes and keeps it', async (locale, lang, title) => {
  const { id: tenantId } = await createTenant(sql);
  const { page, complaints } = await openConsole({ tenantId }, { ...wide, locale });
  await page.goto('/jobs');
  expect(await page.locator('html').getAttribute('lang')).toBe(lang);
  await page.goto('/');
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(title);

  const other = lang === 'en' ? 'pt-BR' : 'en';
  await page.getByRole('button', { name: lang === 'en' ? 'Português' : 'English' }).click();
  await page.locator(`html[lang="${other}"]`).waitFor();
  await page.goto('/events');
  expect(await page.locator('html').getAttribute('lang')).toBe(other);
  expect(complaints).toEqual([]);
});

test('a payer in Brazil reads amounts and buttons in Portuguese', async () => {
  const tenant = await createPayTenant(sql);
  const invoice = await createInvoice(tenant.apiKey, { payment_method: { type: 'card' }, amount: 1_065_906 });
  const { page } = await openConsole({ tenantId: tenant.id }, { ...wide, locale: 'pt-BR' });
  await page.goto(invoice.payment_method.card.checkout_url);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('R$\u00a010.659,06');
  await page.getByRole('button', { name: 'Pagar R$\u00a010.659,06' }).click();
  await page.getByText('Pago. Obrigado!').waitFor();
  await page.getByRole('link', { name: 'Ver no console' }).click();
  await page.getByRole('heading', { name: 'Livro-razão' }).waitFor();
});
