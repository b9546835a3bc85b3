// our_number: without gaps or repetitions, in the tenant's own year.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { createInvoice, createPayout, createPayTenant } from '../../support/payments/payment-flows.ts';
import { invoice, pay } from '../../support/payments/payments.ts';

const sql = connectDatabase();
const WAVE = 50;

test('500 invoices of one tenant, 50 at a time, some rejected: no gap and no repetition', async () => {
  const tenant = await createPayTenant(sql);
  const numbers: string[] = [];
  for (let wave = 0; wave < 10; wave++) {
    const replies = await Promise.all([
      ...Array.from({ length: WAVE }, () => pay(tenant.apiKey, '/invoices', invoice())),
      pay(tenant.apiKey, '/invoices', invoice({ amount: 10013 })),
      pay(tenant.apiKey, '/invoices', invoice({ cost_center: 'nowhere' })),
    ]);
    expect(replies.slice(WAVE).map(({ status }) => status)).toEqual([502, 422]);
    for (const { status, body } of replies.slice(0, WAVE)) {
      expect([status, body]).toEqual([201, expect.anything()]);
      numbers.push(body.our_number);
    }
  }
  const [row] =
    await sql`select extract(year from now() at time zone time_zone)::integer as year from tenants where id = ${tenant.id}`;
  const expected = Array.from(
    { length: 10 * WAVE },
    (_, i) => `INV-${row?.year}-${String(i + 1).padStart(6, '0')}`,
  );
  expect(numbers.sort()).toEqual(expected);
  const { our_number: first } = await createPayout(tenant.apiKey);
  expect(first).toBe(`PO-${row?.year}-000001`);
});

test('counts separately for each tenant, kind and year', async () => {
  const [one, two] = [await createPayTenant(sql), await createPayTenant(sql)];
  const invoices = [
    await createInvoice(one.apiKey),
    await createInvoice(one.apiKey),
    await createInvoice(two.apiKey),
  ];
  expect(invoices.map((made) => made.our_number.slice(-6))).toEqual(['000001', '000002', '000001']);
  await sql`insert into document_numbers select tenant_id, kind, year - 1, 999999 from document_numbers where tenant_id = ${one.id}`;
  expect((await createInvoice(one.apiKey)).our_number).toMatch(/-000003$/);
  await sql`update document_numbers set last_value = 999999 where tenant_id = ${two.id}`;
  expect((await createInvoice(two.apiKey)).our_number).toMatch(/^INV-\d{4}-1000000$/);
});
