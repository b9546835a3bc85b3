// Creating payouts: responses, and invalid values.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import {
  bodyOf,
  createPayout,
  createPayTenant,
  faultsOf,
  get,
} from '../../support/payments/payment-flows.ts';
import { pay, pixPayout, transferPayout } from '../../support/payments/payments.ts';

const sql = connectDatabase();
const YEAR = new Date(Date.now() - 3 * 3_600_000).getUTCFullYear();
const EMOJI = '😀';

type Body = Record<string, unknown>;
const withBeneficiary = (more: Body) => pixPayout({ beneficiary: { ...pixPayout().beneficiary, ...more } });
const toKey = (key_type: unknown, key: unknown) =>
  withBeneficiary({ bank_account: { type: 'pix', key_type, key } });
const toAccount = (account: Body, more: Body = {}) =>
  transferPayout({
    beneficiary: { ...transferPayout().beneficiary, bank_account: { type: 'bank_transfer', ...account } },
    ...more,
  });

describe('a new payout', () => {
  test.each([
    ['by PIX', pixPayout({ contractor_reference: 'R-1', metadata: { a: 'b' } }), 'br', 'processing'],
    ['abroad', transferPayout({ contractor_reference: 'R-1', metadata: { a: 'b' } }), 'eu', 'created'],
  ])('%s has exactly the documented members', async (_name, body, region, status) => {
    const { apiKey } = await createPayTenant(sql);
    const made = await createPayout(apiKey, body);
    expect(made).toEqual({
      id: expect.stringMatching(/^po_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      status,
      amount: 5000,
      currency: body.currency,
      region,
      beneficiary: body.beneficiary,
      purpose: body.purpose,
      provider: 'sandbox',
      cost_center: null,
      our_number: `PO-${YEAR}-000001`,
      contractor_reference: 'R-1',
      metadata: { a: 'b' },
      failure_reason: null,
      created: expect.stringMatching(/\.\d{3}Z$/),
    });
    const { status: _, ...rest } = made;
    expect(await get(apiKey, `/payouts/${made.id}`)).toMatchObject(rest);
  });

  test('null means absent, and unknown members and tenant_id are ignored', async () => {
    const { id, apiKey } = await createPayTenant(sql);
    const other = await createPayTenant(sql);
    const optional = ['cost_center', 'contractor_reference', 'metadata', 'our_number'];
    const { id: payoutId } = await createPayout(apiKey, {
      ...withBeneficiary({ email: null, secret_word: 1 }),
      ...Object.fromEntries(optional.map((name) => [name, null])),
      tenant_id: other.id,
      status: 'paid',
      secret_word: 1,
    });
    const [row] = await sql`select to_jsonb(p) as row from payouts p where id = ${payoutId}`;
    expect(row?.row).toMatchObject({ tenant_id: id, provider: 'sandbox' });
    expect(JSON.stringify(row)).not.toContain('secret_word');
  });

  test('our_number has no gaps after rejections or concurrent requests, and is separate from invoices', async () => {
    const { apiKey } = await createPayTenant(sql);
    faultsOf(await pay(apiKey, '/payouts', pixPayout({ amount: 213 })), 502, 'provider_error');
    const made = await Promise.all([1, 2, 3].map(() => createPayout(apiKey)));
    const expected = [1, 2, 3].map((n) => `PO-${YEAR}-00000${n}`);
    expect(made.map((one) => one.our_number).sort()).toEqual(expected);
    expect((await get(apiKey, '/payouts')).data).toHaveLength(3);
  });

  test('accepts a registered cost center or the default', async () => {
    const { id, apiKey } = await createPayTenant(sql);
    await sql`select admin.register_cost_center(${id}, 'prizes', 'Prizes', true)`;
    await sql`select admin.register_cost_center(${id}, 'other', 'Other')`;
    expect((await createPayout(apiKey)).cost_center).toBe('prizes');
    expect((await createPayout(apiKey, pixPayout({ cost_center: 'other' }))).cost_center).toBe('other');
    const unknown = await pay(apiKey, '/payouts', pixPayout({ cost_center: 'Prizes' }));
    expect(faultsOf(unknown, 422, 'unknown_cost_center')).toEqual(['cost_center']);
  });

  test.each([
    ['cpf', '39053344705'],
    ['cnpj', '11222333000181'],
    ['cnpj', '12ABC34501DE35'],
    ['email', 'a.b+c@example.com'],
    ['phone', '+5511987654321'],
    ['evp', '123e4567-e12b-42d1-a456-426655440000'],
  ])('accepts the PIX key %s %s', async (type, key) => {
    const { apiKey } = await createPayTenant(sql);
    expect((await createPayout(apiKey, toKey(type, key))).beneficiary.bank_account.key).toBe(key);
  });

  test.each([
    ['US', { account_number: '000123456789', routing_number: '021000021' }, 'USD', 'us'],
    ['FR', { iban: 'FR1420041010050500013M02606' }, 'USD', 'eu'],
    ['PT', { iban: 'PT50000201231234567890154', account_number: null, routing_number: null }, 'EUR', 'eu'],
  ])('accepts an account in %s, whose region it has', async (country, account, currency, region) => {
    const { apiKey } = await createPayTenant(sql);
    const made = await createPayout(apiKey, toAccount({ country, ...account }, { currency }));
    expect(made).toMatchObject({ region, currency });
  });

  test.each(['prize', 'commission', 'vendor_payment', 'other'])('accepts the purpose %s', async (purpose) => {
    const { apiKey } = await createPayTenant(sql);
    expect((await createPayout(apiKey, pixPayout({ purpose }))).purpose).toBe(purpose);
  });

  test('lengths count code points, and amounts like 1e3 are integers', async () => {
    const { apiKey } = await createPayTenant(sql);
    const body = { ...withBeneficiary({ name: EMOJI.repeat(255) }), contractor_reference: EMOJI.repeat(64) };
    const text = JSON.stringify(body).replace('"amount":5000', '"amount":1e3');
    expect(bodyOf(await pay(apiKey, '/payouts', text), 201).amount).toBe(1000);
  });
});

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
  const required = ['beneficiary', 'amount', 'currency', 'purpose'];
  const nulls = Object.fromEntries(required.map((name) => [name, null]));
  const at = 'beneficiary.bank_account';
  const phones = ['11987654321', '+55 11 98765-4321', '+5511', '+999123456789', '', 5];
  const iban = 'DE89370400440532013000';
  const number = '000123456789';
  const keys: [string, string[]][] = [
    ['cpf', ['390.533.447-05', '39053344704', '']],
    ['cnpj', ['11.222.333/0001-81', '11222333000182', '39053344705']],
    ['email', ['Ana@example.com', 'ana', `${long(70)}@example.com`]],
    ['phone', ['11987654321', '+15555550100', '5511987654321']],
    ['evp', ['123E4567-E12B-42D1-A456-426655440000', '123e4567e12b42d1a456426655440000']],
  ];

  const cases: Case[] = [
    ['nothing', {}, required],
    ['nulls', nulls, required],
    [
      'an empty beneficiary',
      pixPayout({ beneficiary: {} }),
      ['name', 'document', 'phone', 'bank_account'].map((name) => `beneficiary.${name}`),
    ],
    ['a beneficiary that is text', pixPayout({ beneficiary: 'Ana' }), ['beneficiary']],
    ...each('beneficiary.name', ['', ' ', long(256), 5, 'a\u0000'], (name) => withBeneficiary({ name })),
    ...each('beneficiary.document', ['', '390.533.447-05', '39053344704', 'X1234567', 5], (document) =>
      withBeneficiary({ document }),
    ),
    ...each('beneficiary.phone', phones, (phone) => withBeneficiary({ phone })),
    ...each('beneficiary.email', ['', 'ana', 5], (email) => withBeneficiary({ email })),
    ...each(at, ['x', [], null], (account) => withBeneficiary({ bank_account: account })),
    ...each(`${at}.type`, [undefined, null, 'ted', 5], (type) => withBeneficiary({ bank_account: { type } })),
    ['a key without type and text', toKey(undefined, undefined), [`${at}.key_type`, `${at}.key`]],
    ...each(`${at}.key_type`, ['CPF', 'iban', 5], (type) => toKey(type, '39053344705')),
    ...keys.flatMap(([type, values]) => each(`${at}.key`, values, (key) => toKey(type, key))),
    ...each(`${at}.country`, [undefined, null, 'de', 'XX', 'EU', ''], (country) =>
      toAccount({ country, iban }),
    ),
    ...each(
      `${at}.iban`,
      ['DE89370400440532013001', 'DE89 3704 0044 0532 0130 00', '', iban.toLowerCase()],
      (text) => toAccount({ country: 'DE', iban: text }),
    ),
    ['an IBAN of another country', toAccount({ country: 'FR', iban }), [`${at}.iban`]],
    [
      'neither IBAN nor number',
      toAccount({ country: 'DE' }),
      [`${at}.account_number`, `${at}.routing_number`],
    ],
    ['no routing number', toAccount({ country: 'US', account_number: number }), [`${at}.routing_number`]],
    [
      'no account number',
      toAccount({ country: 'US', routing_number: '021000021' }),
      [`${at}.account_number`],
    ],
    ...each(`${at}.routing_number`, ['021000022', '02100002', 'abc', ''], (routing) =>
      toAccount({ country: 'US', account_number: number, routing_number: routing }),
    ),
    ['PIX in another currency', pixPayout({ currency: 'EUR' }), ['currency']],
    ['BRL by transfer', transferPayout({ currency: 'BRL' }), [`${at}.type`]],
    ...each('amount', [0, -1, 1.5, '100', null, 100_000_000_000], (amount) => pixPayout({ amount })),
    ...each('currency', ['brl', 'ZZZ', '', 5], (currency) => transferPayout({ currency })),
    ...each('purpose', ['gift', 'PRIZE', '', 5], (purpose) => pixPayout({ purpose })),
    ...each('cost_center', [long(65), 5], (code) => pixPayout({ cost_center: code })),
    ...each('contractor_reference', [long(65), 5], (text) => pixPayout({ contractor_reference: text })),
    ...each('metadata.note', [long(501), 1, null], (note) => pixPayout({ metadata: { note } })),
    ...each('metadata', ['x', []], (metadata) => pixPayout({ metadata })),
    ...each('our_number', ['PO-2026-000001', 0], (text) => pixPayout({ our_number: text })),
    ['several at once', { ...toKey('cpf', '1'), currency: 'EUR' }, ['currency', `${at}.key`]],
  ];

  test.each(cases)('%s', async (_name, body, fields) => {
    const { apiKey } = await createPayTenant(sql);
    const faults = faultsOf(await pay(apiKey, '/payouts', body), 422, 'validation_error');
    expect(faults.sort()).toEqual([...fields].sort());
    expect((await get(apiKey, '/payouts')).data).toEqual([]);
  });
});
