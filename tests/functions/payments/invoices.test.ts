// Creating an invoice: responses, numbers and cost centers.
import { isValidBoleto } from '@brazilian-utils/brazilian-utils/is-valid-boleto';
import { describe, expect, test } from 'vitest';
import { crc16 } from '../../../shared/payments/artifacts/pix.ts';
import { connectDatabase } from '../../support/database.ts';
import {
  bodyOf,
  createInvoice,
  createPayTenant,
  faultsOf,
  get,
} from '../../support/payments/payment-flows.ts';
import { invoice, pay } from '../../support/payments/payments.ts';

const sql = connectDatabase();
const YEAR = new Date(Date.now() - 3 * 3_600_000).getUTCFullYear();
const EMOJI = '😀';
const method = (type: string, more: Record<string, unknown> = {}) => ({ payment_method: { type, ...more } });

describe('a new invoice', () => {
  test('has exactly the documented members', async () => {
    const { apiKey } = await createPayTenant(sql);
    const before = Date.now();
    const made = await createInvoice(apiKey, {
      contractor_reference: 'C-7',
      metadata: { order: '42', 'a.b': '' },
    });
    expect(made).toEqual({
      id: expect.stringMatching(/^inv_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      status: 'open',
      amount: 10000,
      currency: 'BRL',
      region: 'br',
      customer: invoice().customer,
      description: 'Consulta – José',
      payment_method: {
        type: 'pix',
        pix: {
          qr_code: expect.any(String),
          qr_code_image_url: expect.stringMatching(/^http.*\/payments\/files\/[0-9A-Za-z]{32}\/qr\.png$/),
          expires_at: expect.stringMatching(/Z$/),
        },
      },
      tax_document: null,
      cost_center: null,
      contractor_reference: 'C-7',
      metadata: { order: '42', 'a.b': '' },
      our_number: `INV-${YEAR}-000001`,
      fee: null,
      net: null,
      amount_refunded: 0,
      amount_refund_pending: 0,
      dispute: null,
      paid_at: null,
      paid_on: null,
      paid_amount: null,
      fine: null,
      interest: null,
      discount: null,
      failure_reason: null,
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(Date.parse(made.created)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(made.created)).toBeLessThanOrEqual(Date.now());
    expect(await get(apiKey, `/invoices/${made.id}`)).toEqual(made);
  });

  test.each([
    ['pix', {}, 3600],
    ['pix', { expires_in_seconds: 90 }, 90],
    ['pix', { expires_in_seconds: null }, 3600],
    ['pix', { expires_in_seconds: 31_536_000 }, 31_536_000],
    ['boleto', {}, 259_200],
    ['boleto', { expires_in_seconds: 7200 }, 7200],
    ['bolepix', {}, 259_200],
    ['card', {}, 86_400],
    ['card', { expires_in_seconds: 60, return_url: 'https://shop.example.com/thanks?a=1' }, 60],
  ])('%s with %j is payable for %i s', async (type, more, seconds) => {
    const { apiKey } = await createPayTenant(sql);
    const { payment_method: artifacts, created } = await createInvoice(apiKey, method(type, more));
    const { type: answered, ...parts } = artifacts;
    expect(answered).toBe(type);
    const expected = {
      pix: ['pix'],
      boleto: ['boleto'],
      bolepix: ['boleto', 'pix'],
      card: ['card'],
    }[type];
    expect(Object.keys(parts).sort()).toEqual(expected);
    for (const part of Object.values(parts) as { expires_at: string }[]) {
      expect(Date.parse(part.expires_at) - Date.parse(created)).toBe(seconds * 1000);
    }
  });

  test('has a PIX payload and a boleto line that pass the public checks', async () => {
    const { apiKey } = await createPayTenant(sql);
    const { payment_method: made } = await createInvoice(apiKey, { ...method('bolepix'), amount: 123_456 });
    const text: string = made.pix.qr_code;
    expect(text).toMatch(/^000201/);
    expect(text).toContain('54071234.56');
    expect(text.slice(-4)).toBe(crc16(text.slice(0, -4)));
    const { digitable_line: line, barcode, pdf_url } = made.boleto;
    expect(line).toMatch(/^\d{47}$/);
    expect(isValidBoleto(line)).toBe(true);
    expect(barcode).toMatch(/^\d{44}$/);
    expect(barcode.slice(9, 19)).toBe('0000123456');
    expect(line.slice(33)).toBe(barcode.slice(5, 19));
    expect(pdf_url).toMatch(/\/boleto\.pdf$/);
    const card = await createInvoice(apiKey, method('card'));
    const checkout = await fetch(card.payment_method.card.checkout_url);
    expect([checkout.status, await checkout.text()]).toEqual([200, expect.any(String)]);
  });

  test('null means absent, and unknown members and tenant_id are ignored', async () => {
    const { id, apiKey } = await createPayTenant(sql);
    const other = await createPayTenant(sql);
    const optional = ['tax_document', 'cost_center', 'contractor_reference', 'metadata', 'our_number'];
    const { customer } = invoice();
    const made = await createInvoice(apiKey, {
      ...Object.fromEntries(optional.map((name) => [name, null])),
      customer: { ...customer, tax_id: null, phone: null, favourite: 'secret-word' },
      payment_method: { type: 'pix', return_url: null, secret_word: 1 },
      tenant_id: other.id,
      status: 'paid',
      provider: 'secret-word',
    });
    expect(made).toMatchObject({
      status: 'open',
      cost_center: null,
      contractor_reference: null,
      metadata: {},
    });
    const [row] = await sql`select to_jsonb(i) as row from invoices i where id = ${made.id}`;
    expect(row?.row).toMatchObject({ tenant_id: id, provider: 'sandbox' });
    expect(JSON.stringify(row)).not.toMatch(/secret.word/);
    expect((await pay(other.apiKey, '/invoices')).body).toEqual({ data: [], has_more: false });
  });

  test.each([10.0, 1e3, 1, 99_999_999_999])('accepts the amount %d', async (amount) => {
    const { apiKey } = await createPayTenant(sql);
    const text = JSON.stringify(invoice()).replace('"amount":10000', `"amount":${amount.toFixed(1)}`);
    expect(bodyOf(await pay(apiKey, '/invoices', text), 201).amount).toBe(amount);
  });

  test('lengths count code points, and maximum lengths fit', async () => {
    const { apiKey } = await createPayTenant(sql);
    const { customer } = invoice();
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, EMOJI.repeat(500)]));
    const made = await createInvoice(apiKey, {
      customer: { ...customer, name: EMOJI.repeat(255), phone: EMOJI.repeat(20), tax_id: '12ABC34501DE35' },
      description: EMOJI.repeat(1000),
      contractor_reference: EMOJI.repeat(64),
      metadata,
    });
    expect(made.metadata).toEqual(metadata);
    expect(made.contractor_reference).toBe(EMOJI.repeat(64));
  });
});

describe('our_number', () => {
  test('has no gaps after rejections or concurrent requests, and counts per tenant', async () => {
    const { apiKey } = await createPayTenant(sql);
    await createInvoice(apiKey);
    expect(faultsOf(await pay(apiKey, '/invoices', invoice({ amount: 113 })), 502, 'provider_error')).toEqual(
      [],
    );
    expect(
      faultsOf(await pay(apiKey, '/invoices', invoice({ cost_center: 'none' })), 422, 'unknown_cost_center'),
    ).toEqual(['cost_center']);
    const made = await Promise.all(Array.from({ length: 5 }, () => createInvoice(apiKey)));
    expect(made.map((one) => one.our_number).sort()).toEqual(
      [2, 3, 4, 5, 6].map((n) => `INV-${YEAR}-00000${n}`),
    );
    expect((await get(apiKey, '/invoices')).data).toHaveLength(6);
    const other = await createPayTenant(sql);
    expect((await createInvoice(other.apiKey)).our_number).toBe(`INV-${YEAR}-000001`);
  });

  test.each(['sandbox/invoices/any/dispute', 'webhooks'])('is refused in the body of /%s', async (path) => {
    const { apiKey } = await createPayTenant(sql);
    const reply = await pay(apiKey, `/${path}`, { our_number: 'INV-2026-000001' });
    expect(faultsOf(reply, 422, 'validation_error')).toContain('our_number');
  });

  test('continues beyond six digits', async () => {
    const { id, apiKey } = await createPayTenant(sql);
    await createInvoice(apiKey);
    await sql`update document_numbers set last_value = 999999 where tenant_id = ${id} and kind = 'INV'`;
    expect((await createInvoice(apiKey)).our_number).toBe(`INV-${YEAR}-1000000`);
  });
});

describe('the cost center', () => {
  test('is the named registered one, otherwise the default', async () => {
    const { id, apiKey } = await createPayTenant(sql);
    const other = await createPayTenant(sql);
    const code = EMOJI.repeat(64);
    await sql`select admin.register_cost_center(${id}, ${code}, 'Emoji')`;
    expect((await createInvoice(apiKey)).cost_center).toBeNull();
    await sql`select admin.register_cost_center(${id}, 'first', 'First', true)`;
    expect((await createInvoice(apiKey)).cost_center).toBe('first');
    await sql`select admin.register_cost_center(tenant_id => ${id}, code => 'second', name => 'S', is_default => true)`;
    expect((await createInvoice(apiKey, { cost_center: null })).cost_center).toBe('second');
    expect((await createInvoice(apiKey, { cost_center: code })).cost_center).toBe(code);
    for (const [key, unknown] of [
      [apiKey, 'FIRST'],
      [other.apiKey, 'first'],
    ] as const) {
      const reply = await pay(key, '/invoices', invoice({ cost_center: unknown }));
      expect(faultsOf(reply, 422, 'unknown_cost_center')).toEqual(['cost_center']);
    }
  });
});
