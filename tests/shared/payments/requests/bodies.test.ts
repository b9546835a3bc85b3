// Errors of bodies: all in one response, up to a maximum.
import { expect, test } from 'vitest';
import { parseInvoice } from '../../../../shared/payments/invoices/schema.ts';
import { parsePayout } from '../../../../shared/payments/payouts/schema.ts';
import { parseTaxDocument } from '../../../../shared/payments/tax-documents/schema.ts';
import { ApiError } from '../../../../shared/platform/errors.ts';
import { MAX_DETAILS, problemErrorFormat } from '../../../../shared/platform/request/error-formats.ts';
import { invoice, pixPayout, transferPayout } from '../../../support/payments/payments.ts';

function refusalOf(work: () => unknown): ApiError {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'validation') return error;
    throw error;
  }
  throw new Error('It was taken.');
}
const fieldsOf = (work: () => unknown) => (refusalOf(work).details ?? []).map(({ field }) => field);

const customer = { country: 'BR', name: 'Maria', email: 'maria@example.com' };
const account = (more: object) => ({
  ...transferPayout().beneficiary,
  bank_account: { type: 'bank_transfer', country: 'DE', ...more },
});

test.each<[string, object, string[]]>([
  ['one of its own', invoice({ amount: -1 }), ['amount']],
  [
    'of fields and between them',
    invoice({
      amount: -1,
      currency: 'EUR',
      customer: { ...customer, tax_id: '123', email: 'x' },
      payment_method: { type: 'ach_debit', expires_in_seconds: 0 },
      tax_document: {},
      our_number: 'INV-1',
    }),
    [
      'customer.email',
      'amount',
      'payment_method.expires_in_seconds',
      'payment_method.type',
      'currency',
      'customer.tax_id',
      'tax_document.service_code',
      'our_number',
    ],
  ],
  [
    'each field once, and by its own rule first',
    invoice({
      customer: { ...customer, tax_id: 5 },
      tax_document: { type: 'nfse', service_code: '' },
      currency: 'eur',
    }),
    ['customer.tax_id', 'currency', 'tax_document.service_code'],
  ],
  [
    'nothing of what a faulty field would decide',
    invoice({
      customer: { ...customer, country: 'Brazil' },
      currency: 'EUR',
      tax_document: { type: 'nf', service_code: null },
    }),
    ['customer.country', 'tax_document.type'],
  ],
  ['none of its members, when it is no object', invoice({ customer: 'Maria' }), ['customer']],
  ['the whole', [], ['body']],
])('an invoice: %s', (_, body, fields) => {
  expect(fieldsOf(() => parseInvoice(body))).toEqual(fields);
});

test.each<[string, object, string[]]>([
  [
    'of fields and between them',
    pixPayout({
      beneficiary: {
        ...pixPayout().beneficiary,
        name: '',
        document: '1',
        bank_account: { type: 'pix', key_type: 'cpf', key: '1' },
      },
      currency: 'USD',
      purpose: 'fun',
    }),
    ['beneficiary.name', 'purpose', 'currency', 'beneficiary.bank_account.key', 'beneficiary.document'],
  ],
  [
    'a bad IBAN is not taken for a missing one',
    transferPayout({ beneficiary: account({ iban: 5 }), amount: 0 }),
    ['beneficiary.bank_account.iban', 'amount'],
  ],
  [
    'an account without its routing number, beside others',
    transferPayout({ beneficiary: account({ account_number: '1' }), amount: 0, currency: 'BRL' }),
    ['amount', 'beneficiary.bank_account.type', 'beneficiary.bank_account.routing_number'],
  ],
])('a payout: %s', (_, body, fields) => {
  expect(fieldsOf(() => parsePayout(body))).toEqual(fields);
});

test('a tax document: both', () => {
  expect(fieldsOf(() => parseTaxDocument({ type: 'nfse', metadata: 'x', our_number: 'NFSE-1' }))).toEqual([
    'metadata',
    'service_code',
    'our_number',
  ]);
});

test('300 000 invalid metadata members: reported once, without checking each', () => {
  const metadata = Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`member ${i}`, i]));
  let looks = 0;
  for (const name of Object.keys(metadata)) {
    Object.defineProperty(metadata, name, { enumerable: true, get: () => ++looks });
  }
  const { details, message } = refusalOf(() => parseInvoice(invoice({ metadata })));
  expect(details).toEqual([{ field: 'metadata', message: 'must have at most 50 keys' }]);
  expect(message.length).toBeLessThan(200);
  expect(looks).toBe(0);
});

test('names in metadata have at most 40 characters, and longer ones are not echoed', () => {
  const metadata = { ['x'.repeat(40)]: 'v'.repeat(500) };
  expect(parseInvoice(invoice({ metadata })).metadata).toEqual(metadata);
  const message = 'has an invalid name: each name must have at most 40 characters';
  for (const name of ['x'.repeat(41), 'x'.repeat(1_000_000)]) {
    for (const value of ['v', 5]) {
      const { details } = refusalOf(() => parseInvoice(invoice({ metadata: { [name]: value } })));
      expect(details).toEqual([{ field: 'metadata', message }]);
    }
  }
});

test('a problem has at most 100 errors, and says if there are more', () => {
  const problemOf = (count: number) => {
    const details = Array.from({ length: count }, (_, i) => ({ field: `f${i}`, message: 'is wrong' }));
    const error = new ApiError('validation', 'Fix these.', { details });
    return problemErrorFormat(error, { requestId: 'r', path: '/payments/invoices' }).body;
  };
  expect(problemOf(MAX_DETAILS)).not.toHaveProperty('details_truncated');
  expect(problemOf(MAX_DETAILS + 1)).toMatchObject({ details_truncated: true });
  expect(problemOf(5000).errors).toHaveLength(MAX_DETAILS);
});
