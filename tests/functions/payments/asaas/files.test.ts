// The PDF of a boleto is Asaas' own, fetched once and served as ours.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { connectAsaasTenant } from '../../../support/asaas-tenant.ts';
import { connectAdmin } from '../../../support/connected-tenant.ts';
import { createInvoice } from '../../../support/payment-flows.ts';

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
