// Errors of bodies: all in one response, up to a maximum.
import { expect, test } from 'vitest';
import { parseInvoice } from '../../../../shared/payments/invoices/schema.ts';
import { parsePayout } from '../../../../shared/payments/payouts/schema.ts';
import { parseTaxDocument } from '../../../../shared/payments/tax-documents/schema.ts';
import { ApiError, type ErrorDetail } from '../../../../shared/platform/errors.ts';
import { MAX_DETAILS, problemErrorFormat } from '../../../../shared/platform/request/error-formats.ts';
import { invoice, pixPayout, transferPayout } from '../../../support/payments/payments.ts';

const fieldsOf = ({ errors }: { errors(found: []): ErrorDetail[] }) => errors([]).map(({ field }) => field);

const customer = { country: 'BR', name: 'Maria', email: 'maria@example.com' };
const BAD_ADDRESS = { state: 'XX', postal_code: '123', line1: ' ' };
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
  [
    'each member of an object of which another is wrong',
    invoice({
      customer: { ...customer, email: 'x', address: BAD_ADDRESS },
      payment_method: {
        ...{ type: 'boleto', due_date: '2026-02-30', expires_in_seconds: 60, fine_percent: 3 },
        discount: { percent: 'x', amount: 20_000, days_before_due: 366 },
      },
      tax_document: {
        auto_issue: 1,
        service_code: ' ',
        taxes: { iss: 101, pis_cofins_cst: '06', operation_pis: 1 },
      },
    }),
    [
      'customer.email',
      'customer.address.line1',
      'payment_method.due_date',
      'payment_method.discount.percent',
      'payment_method.discount.days_before_due',
      'tax_document.auto_issue',
      'tax_document.service_code',
      'tax_document.taxes.iss',
      'customer.tax_id',
      'customer.address.state',
      'customer.address.postal_code',
      'payment_method.expires_in_seconds',
      'payment_method.fine_percent',
      'payment_method.discount',
      'payment_method.discount.amount',
      'tax_document.taxes.operation_pis',
    ],
  ],
  ['none of its members, when it is no object', invoice({ customer: 'Maria' }), ['customer']],
  ['the whole', [], ['body']],
])('an invoice: %s', (_, body, fields) => {
  expect(fieldsOf(parseInvoice(body))).toEqual(fields);
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
  [
    'all of its account',
    transferPayout({
      beneficiary: {
        ...transferPayout().beneficiary,
        document: '1',
        bank_account: { type: 'bank_transfer', country: 'BR', bic: '123456789012' },
      },
    }),
    [
      'beneficiary.bank_account.bic',
      'beneficiary.bank_account.account_number',
      'beneficiary.bank_account.routing_number',
      'beneficiary.document',
    ],
  ],
])('a payout: %s', (_, body, fields) => {
  expect(fieldsOf(parsePayout(body))).toEqual(fields);
});

test.each<[object, string[]]>([
  [{ metadata: 'x', our_number: 'NFSE-1' }, ['metadata', 'service_code', 'our_number']],
  [
    {
      ...{ service_code: '1.07', customer_address: BAD_ADDRESS },
      taxes: { iss: 101, pis_cofins_cst: '07', operation_pis: 1, operation_cofins: 'x' },
    },
    [
      ...['taxes.iss', 'taxes.operation_cofins', 'customer_address.line1', 'taxes.operation_pis'],
      ...['customer_address.state', 'customer_address.postal_code'],
    ],
  ],
])('a tax document: %j', (body, fields) => {
  expect(fieldsOf(parseTaxDocument({ type: 'nfse', ...body }))).toEqual(fields);
});

test('1000 invalid metadata members: reported once, without checking each', () => {
  const metadata = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`member ${i}`, i]));
  let looks = 0;
  for (const name of Object.keys(metadata)) {
    Object.defineProperty(metadata, name, { enumerable: true, get: () => ++looks });
  }
  const details = parseInvoice(invoice({ metadata })).errors([]);
  expect(details).toEqual([{ field: 'metadata', message: 'must have at most 50 keys' }]);
  expect(looks).toBe(0);
});

test('names in metadata have at most 40 characters, and longer ones are not echoed', () => {
  const metadata = { ['x'.repeat(40)]: 'v'.repeat(500) };
  expect(parseInvoice(invoice({ metadata })).input?.metadata).toEqual(metadata);
  const message = 'has an invalid name: each name must have at most 40 characters';
  for (const name of ['x'.repeat(41), 'x'.repeat(1_000_000)]) {
    for (const value of ['v', 5]) {
      const parsed = parseInvoice(invoice({ metadata: { [name]: value } }));
      expect(parsed.errors([])).toEqual([{ field: 'metadata', message }]);
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
