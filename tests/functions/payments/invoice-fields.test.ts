// Invalid values of each field of an invoice, and routes that are not available.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { createPayTenant, faultsOf, get } from '../../support/payments/payment-flows.ts';
import { invoice, pay } from '../../support/payments/payments.ts';

const sql = connectDatabase();
const EMOJI = '😀';

/** A valid invoice with these members of its customer. */
const withCustomer = (more: Record<string, unknown>) =>
  invoice({ customer: { ...invoice().customer, ...more } });
const method = (type: string, more: Record<string, unknown> = {}) => ({ payment_method: { type, ...more } });

describe('invalid fields', () => {
  const long = (n: number) => 'x'.repeat(n);
  type Case = [name: string, body: unknown, fields: string[]];
  /** One case for each of these values in the same field. */
  const each = (field: string, values: unknown[], bodyWith: (value: never) => unknown): Case[] =>
    values.map((value) => [
      `${field} ${JSON.stringify(value)}`.slice(0, 60),
      bodyWith(value as never),
      [field],
    ]);
  const required = ['customer', 'amount', 'currency', 'description', 'payment_method'];
  const nulls = Object.fromEntries(required.map((name) => [name, null]));
  const cpfs = ['529.982.247-25', '52998224724', '11111111111', '5299822472', '12abc34501de35', '', 5];
  const emails = ['', 'maria', 'maria@localhost', 'a b@example.com', `${long(250)}@example.com`];
  const amounts = [0, -1, 1.5, '100', true, 100_000_000_000, 1e300];
  const methods = ['cash', 'PIX', '', 5, 'ach_debit', 'sepa_debit', 'bank_transfer'];
  const broken = [
    'https://shop.example/\r\nSet-Cookie: a=b',
    'https://shop.example/a b',
    'https://shop.example/\u0001',
  ];
  const urls = ['shop', 'ftp://shop.example.com', 'javascript:alert(1)', 'https://', 5, ...broken];
  const keys = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [i, '']));
  const tooDear = 10_000_000_000;
  const coded = { service_code: '1' };

  const cases: Case[] = [
    ['nothing', {}, required],
    ['nulls', nulls, required],
    [
      'empty objects',
      invoice({ customer: {}, payment_method: {} }),
      ['customer.country', 'customer.name', 'customer.email', 'payment_method.type'],
    ],
    [
      'wrong types',
      invoice({ customer: 'x', payment_method: [], metadata: [], tax_document: 5 }),
      ['customer', 'payment_method', 'tax_document', 'metadata'],
    ],
    ...each('customer.country', ['br', 'BRA', 'XX', 'EU', ''], (country) => withCustomer({ country })),
    ...each('customer.tax_id', cpfs, (tax_id) => withCustomer({ tax_id })),
    ...each('customer.name', ['', ' \t', long(256), 'a\u0000b', 'a\ud800b', 5], (name) =>
      withCustomer({ name }),
    ),
    ...each('customer.email', emails, (email) => withCustomer({ email })),
    ...each('customer.phone', [long(21), 5], (phone) => withCustomer({ phone })),
    ...each('amount', amounts, (amount) => invoice({ amount })),
    ...each('currency', ['brl', 'BR', 'XXX', 'ZZZ', '', 986, 'USD', 'EUR'], (currency) =>
      invoice({ currency }),
    ),
    ...each('description', ['', '  ', long(1001), EMOJI.repeat(1001), 'a\u0000'], (description) =>
      invoice({ description }),
    ),
    ...each('payment_method.type', methods, (type) => invoice(method(type))),
    ...each('payment_method.expires_in_seconds', [0, -5, 1.5, '60', 31_536_001], (seconds) =>
      invoice(method('pix', { expires_in_seconds: seconds })),
    ),
    ...each('payment_method.return_url', urls, (url) => invoice(method('card', { return_url: url }))),
    ['a boleto too dear', invoice({ ...method('boleto'), amount: tooDear }), ['amount']],
    ['a bolepix too dear', invoice({ ...method('bolepix'), amount: tooDear }), ['amount']],
    ...each('tax_document.service_code', ['', ' ', null, 5], (code) =>
      invoice({ tax_document: { type: 'nfse', service_code: code } }),
    ),
    ['no type and no service code', invoice({ tax_document: {} }), ['tax_document.service_code']],
    ...each('tax_document.type', ['nf', 5], (type) => invoice({ tax_document: { type, ...coded } })),
    ...each('tax_document.auto_issue', ['yes', 1], (auto) =>
      invoice({ tax_document: { auto_issue: auto, ...coded } }),
    ),
    [
      'a tax document without tax_id',
      { ...withCustomer({ tax_id: undefined }), tax_document: coded },
      ['customer.tax_id'],
    ],
    ...each('cost_center', [long(65), 5], (code) => invoice({ cost_center: code })),
    ...each('contractor_reference', [long(65), '\u0000', 5], (text) =>
      invoice({ contractor_reference: text }),
    ),
    ['51 keys', invoice({ metadata: keys }), ['metadata']],
    ...each('metadata.note', [long(501), 1, null, {}], (note) => invoice({ metadata: { note } })),
    ['a metadata key with NUL', invoice({ metadata: { 'a\u0000': 'x' } }), ['metadata']],
    ...each('our_number', ['INV-2026-000001', ''], (text) => invoice({ our_number: text })),
    ['our_number beside other faults', invoice({ our_number: '', amount: 0 }), ['amount', 'our_number']],
    [
      'several at once',
      invoice({ ...method('boleto'), currency: 'USD', amount: tooDear }),
      ['currency', 'amount'],
    ],
  ];

  test.each(cases)('%s', async (_name, body, fields) => {
    const { apiKey } = await createPayTenant(sql);
    expect(faultsOf(await pay(apiKey, '/invoices', body), 422, 'validation_error')).toEqual(fields);
    expect((await get(apiKey, '/invoices')).data).toEqual([]);
  });
});

describe('regions', () => {
  const abroad = (country: string, currency: string, type: string, more = {}) => ({
    ...withCustomer({ country, tax_id: undefined }),
    currency,
    ...method(type),
    ...more,
  });

  test.each([
    ['US', 'USD', 'card'],
    ['US', 'USD', 'ach_debit'],
    ['US', 'USD', 'bank_transfer'],
    ['US', 'EUR', 'card'],
    ['DE', 'EUR', 'sepa_debit'],
    ['SE', 'SEK', 'bank_transfer'],
    ['DE', 'BRL', 'card'],
    ['GB', 'GBP', 'card'],
    ['AR', 'ARS', 'pix'],
  ])('%s in %s by %s is not available', async (country, currency, type) => {
    const { apiKey } = await createPayTenant(sql);
    const reply = await pay(apiKey, '/invoices', abroad(country, currency, type));
    expect(faultsOf(reply, 501, 'provider_not_configured')).toEqual([]);
    expect(reply.headers.get('idempotent-replay')).toBeNull();
  });

  test.each([
    ['a method of another region', abroad('US', 'USD', 'pix'), ['payment_method.type']],
    ['a method of the US in the EU', abroad('FR', 'EUR', 'ach_debit'), ['payment_method.type']],
    ['a fault elsewhere', abroad('US', 'USD', 'card', { amount: 0 }), ['amount']],
    ['our_number', abroad('US', 'USD', 'card', { our_number: 'x' }), ['our_number']],
  ])('%s returns 422 before 501', async (_name, body, fields) => {
    const { apiKey } = await createPayTenant(sql);
    expect(faultsOf(await pay(apiKey, '/invoices', body), 422, 'validation_error')).toEqual(fields);
  });

  test.each(['nfe', 'peppol'])('a tax document of type %s is not available', async (type) => {
    const { apiKey } = await createPayTenant(sql);
    const reply = await pay(apiKey, '/invoices', invoice({ tax_document: { type } }));
    expect(faultsOf(reply, 501, 'provider_not_configured')).toEqual([]);
    const invalid = await pay(apiKey, '/invoices', invoice({ tax_document: { type }, amount: 0 }));
    expect(faultsOf(invalid, 422, 'validation_error')).toEqual(['amount']);
  });
});
