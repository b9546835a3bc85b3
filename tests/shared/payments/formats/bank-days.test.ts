// Days on which Brazilian banks are open, and until when invoices can be paid because of them.
import { expect, test } from 'vitest';
import { bankDayFrom } from '../../../../shared/payments/formats/business-days.ts';
import { payableUntil } from '../../../../shared/payments/invoices/payable-until.ts';

test.each([
  ['a Friday', '2026-11-27', '2026-11-27'],
  ['a Saturday', '2026-11-28', '2026-11-30'],
  ['Christmas on a Friday', '2026-12-25', '2026-12-28'],
  ['New Year on a Friday', '2027-01-01', '2027-01-04'],
  ['Carnival Monday', '2027-02-08', '2027-02-10'],
  ['Carnival Tuesday', '2026-02-17', '2026-02-18'],
  ['Good Friday', '2027-03-26', '2027-03-29'],
  ['Corpus Christi', '2027-05-27', '2027-05-28'],
  ['the Monday before it', '2027-05-24', '2027-05-24'],
  ['Consciência Negra', '2026-11-20', '2026-11-23'],
  ['beyond the calendar', '2345-01-01', '2345-01-01'],
])('%s', (_, day, open) => {
  expect(bankDayFrom(day)).toBe(open);
});

test.each<[string, string, object, string]>([
  [
    'a boleto that ends on a business day',
    'boleto',
    { expires_at: '2026-11-28T01:41:00Z' },
    '2026-11-28T01:41:00.000Z',
  ],
  [
    'a boleto that ends on a Sunday',
    'boleto',
    { expires_at: '2026-11-30T01:41:00Z' },
    '2026-12-01T02:59:59.999Z',
  ],
  ['a bolepix', 'bolepix', { expires_at: '2026-11-29T12:00:00Z' }, '2026-12-01T02:59:59.999Z'],
  ['a pix without a due date', 'pix', { expires_at: '2026-11-29T12:00:00Z' }, '2026-11-29T12:00:00.000Z'],
  [
    'a pix with a due date',
    'pix',
    { expires_at: '2026-11-30T02:59:59.999Z', payment_method: { due_date: '2026-11-29' } },
    '2026-12-01T02:59:59.999Z',
  ],
  [
    'a boleto of an hour on a Sunday',
    'boleto',
    { created: '2026-11-30T01:41:00Z', expires_at: '2026-11-30T02:41:00Z' },
    '2026-11-30T02:41:00.000Z',
  ],
])('%s can be paid until', (_, payment_method_type, more, end) => {
  const invoice = { created: '2026-11-27T01:41:00Z', payment_method: {}, payment_method_type, ...more };
  expect(payableUntil(invoice as never).toISOString()).toBe(end);
});
