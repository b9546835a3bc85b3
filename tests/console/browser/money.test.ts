// Payments in the console: pays an invoice on the payer's page, lets one fail and one expire, and replays a webhook.
import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { expectText, openConsole, useBrowser } from '../../support/clients/browser.ts';
import { connectDatabase } from '../../support/database.ts';
import { createInvoice, createPayTenant, get, untilStatus } from '../../support/payments/payment-flows.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase(undefined, { announces: true });
useBrowser();

const card = { payment_method: { type: 'card' } };

async function createPayer() {
  const tenant = await createPayTenant(sql);
  const inbox = `${inject('stack').inbox_url}/${tenant.id}`;
  await sql`select admin.create_payment_webhook(${tenant.id}, ${inbox})`;
  const { page, complaints } = await openConsole({ tenantId: tenant.id });
  return { tenant, page, complaints };
}

const isPaid = (page: Page) => page.getByText('Paid. Thank you!').waitFor();

test('a payer pays at checkout_url; the ledger has the entry and the webhook arrives', async () => {
  const { tenant, page, complaints } = await createPayer();
  const invoice = await createInvoice(tenant.apiKey, { ...card, amount: 12_345 });
  await page.goto(invoice.payment_method.card.checkout_url);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('R$123.45');
  await page.getByRole('button', { name: 'Pay R$123.45' }).click();
  await isPaid(page);
  expect((await get(tenant.apiKey, `/invoices/${invoice.id}`)).status).toBe('paid');

  await page.getByRole('link', { name: 'View in the console' }).click();
  await expectText(page, 'tbody tr', /charge.*R\$123\.45.*R\$122\.22/s);
  await page.goto('/events/deliveries');
  await expectText(page, '#live-deliveries tr', 'delivered');
  await page.locator('#live-deliveries').getByRole('link', { name: 'invoice.paid' }).click();
  const sent = page.getByRole('region', { name: 'request of attempt 1' });
  expect(await sent.textContent()).toContain('x-pay-signature: t=');
  expect(await sent.textContent()).toContain(invoice.id);
  expect(complaints).toEqual([]);
});

test('a payer pays a PIX by its code', async () => {
  const { tenant, page, complaints } = await createPayer();
  const { id } = await createInvoice(tenant.apiKey);
  await page.goto(`/payments/invoices/${id}`);
  await expectText(page, 'main', /Expires\s*\d{1,2} \w{3} \d{4}, \d\d:\d\d/);
  await page.getByRole('link', { name: 'Open payer page' }).click();
  const image = page.getByRole('img', { name: 'QR code of the Pix payment' });
  expect(await image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
  await page.getByRole('button', { name: /^Pay/ }).click();
  await isPaid(page);
  expect(complaints).toEqual([]);
});

test('a payer lets a payment fail', async () => {
  const { tenant, page } = await createPayer();
  const invoice = await createInvoice(tenant.apiKey, card);
  await page.goto(invoice.payment_method.card.checkout_url);
  await page.getByRole('button', { name: 'Decline' }).click();
  await page.getByText('The payment failed').waitFor();
  expect(await get(tenant.apiKey, `/invoices/${invoice.id}`)).toMatchObject({
    status: 'failed',
    failure_reason: "Refused by the payer's bank.",
  });
});

test('a payer lets an invoice expire, and sees it without loading the page again', async () => {
  const { tenant, page } = await createPayer();
  const invoice = await createInvoice(tenant.apiKey, card);
  await page.goto(invoice.payment_method.card.checkout_url);
  await page.getByRole('button', { name: 'Expire' }).click();
  await page.getByText('The invoice expired before it was paid.').waitFor();
  await untilStatus(tenant.apiKey, `/invoices/${invoice.id}`, 'failed');
});

test('an expired invoice cannot be paid, and its page says so', async () => {
  const { tenant, page } = await createPayer();
  const invoice = await createInvoice(tenant.apiKey, card);
  await page.goto(invoice.payment_method.card.checkout_url);
  await sql`update invoices set status = 'canceled' where id = ${invoice.id}`;
  // Before the page itself notices.
  const status = await page.evaluate(
    async (path) => (await fetch(path, { method: 'POST' })).status,
    `${page.url()}/pay`,
  );
  expect(status).toBe(409);
});

test('a delivery is replayed', async () => {
  const { tenant, page, complaints } = await createPayer();
  const { id } = await createInvoice(tenant.apiKey, card);
  await sql`update invoices set status = 'canceled' where id = ${id}`;
  const deliveryId = await waitFor(async () => {
    const [row] = await sql`
      select id from webhook_deliveries where tenant_id = ${tenant.id} and status = 'delivered'`;
    return row?.id as string | undefined;
  });
  await page.goto('/events/deliveries');
  await page.getByRole('button', { name: 'Replay invoice.canceled' }).click();
  await page.getByText('The delivery is being resent.').waitFor();
  await page.locator('.attempts strong', { hasText: 'Attempt 2' }).waitFor();
  const received = (await (await fetch(inject('stack').inbox_url)).json()) as {
    headers: Record<string, string>;
  }[];
  expect(received.filter(({ headers }) => headers['webhook-id'] === deliveryId)).toHaveLength(2);
  expect(complaints).toEqual([]);
});

test('a permanently failed job is retried', async () => {
  const { tenant, page } = await createPayer();
  const [job] = await sql`
    insert into jobs (tenant_id, name, key, payload, failed_at, failures, last_error)
    values (${tenant.id}, 'recount', ${tenant.id}, ${sql.json({ tenant_id: tenant.id })}, now(), 5, 'It broke.')
    on conflict (name, key) do update set failed_at = now(), finished_at = null, failures = 5, last_error = 'It broke.'
    returning id`;
  await page.goto(`/jobs/${job?.id}`);
  expect(await page.getByText('It broke.').count()).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Retry recount' }).click();
  await expectText(page, '#live-job', 'finished');
});
