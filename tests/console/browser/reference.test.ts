// The API reference: it lists the operations, and calls can be tried from it.
import { expect, inject, test } from 'vitest';
import { openConsole, useBrowser } from '../../support/clients/browser.ts';

useBrowser();

const CALLS = [
  { call: 'get /v1/leads', hash: 'records/tag/leads/GET/v1/leads', status: 200 },
  { call: 'post /payments/invoices', hash: 'payments/tag/invoices/POST/payments/invoices', status: 201 },
];

test.each(CALLS)('$call is sent with the credentials of the demo tenant', async ({ call, hash, status }) => {
  const { page, complaints } = await openConsole({});
  await page.goto(`/reference#${hash}`);
  const { base_url: baseUrl } = inject('stack');
  const [method, path] = call.split(' ');
  await page.getByRole('button', { name: new RegExp(`^Test Request ?\\(${call}\\)$`) }).click();
  const answered = page.waitForResponse((answer) =>
    answer.url().startsWith(`${baseUrl}/functions/v1${path}`),
  );
  await page.getByRole('button', { name: /^Send Request ctrl/ }).click();
  const answer = await answered;
  expect([answer.request().method().toLowerCase(), answer.status()]).toEqual([method, status]);
  expect(complaints).toEqual([]);
});

test('every operation of the document is in its list', async () => {
  const { page } = await openConsole({});
  await page.goto('/reference');
  const { tags } = await (await fetch(`${inject('stack').base_url}/openapi/v1.json`)).json();
  for (const { name } of tags) await page.getByText(name, { exact: true }).first().waitFor();
});
