// The PDF of a boleto comes from Asaas, is fetched once, and is served by us.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { connectAsaasTenant } from '../../../support/payments/asaas-tenant.ts';
import { connectAdmin } from '../../../support/payments/connected-tenant.ts';
import { createInvoice } from '../../../support/payments/payment-flows.ts';

const sql = connectAdmin();

const read = async (url: string) => {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect(new TextDecoder().decode(bytes.subarray(0, 4))).toBe('%PDF');
  return createHash('sha256').update(bytes).digest('hex');
};

test.each(['boleto', 'bolepix'])('of a %s', async (type) => {
  const tenant = await connectAsaasTenant(sql);
  const made = await createInvoice(tenant.apiKey, { payment_method: { type } });
  const { pdf_url } = made.payment_method.boleto;
  const [kept] =
    await sql`select artifact #>> '{boleto,pdfUrl}' as theirs from invoices where id = ${made.id}`;
  expect(new URL(pdf_url).host).not.toBe(new URL(kept?.theirs).host);
  const first = await read(pdf_url);
  await tenant.payment(made.id, 'delete');
  expect(await read(pdf_url)).toBe(first);
  const { pathname: path } = new URL(kept?.theirs);
  expect(await tenant.control.requests({ method: 'GET', path })).toHaveLength(1);
});

test('while Asaas does not return it: 503 with Retry-After, and then it opens', async () => {
  const tenant = await connectAsaasTenant(sql);
  const made = await createInvoice(tenant.apiKey, { payment_method: { type: 'boleto' } });
  const { pdf_url } = made.payment_method.boleto;
  const [kept] =
    await sql`select artifact #>> '{boleto,pdfUrl}' as theirs from invoices where id = ${made.id}`;
  const { pathname: path } = new URL(kept?.theirs);
  for (const kind of ['error_before', 'cut_before'] as const) {
    await tenant.control.fault({ kind, method: 'GET', path });
    const response = await fetch(pdf_url);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    await response.body?.cancel();
  }
  await read(pdf_url);
});
