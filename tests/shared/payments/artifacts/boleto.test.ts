import { getBoletoInfo } from '@brazilian-utils/brazilian-utils/get-boleto-info';
import { isValidBoleto } from '@brazilian-utils/brazilian-utils/is-valid-boleto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bankCodeDigit, boletoNumbers, dueDateFactor } from '../../../../shared/payments/artifacts/boleto.ts';
import { artifactOf } from '../../../../shared/payments/providers/sandbox/artifact.ts';

const VECTORS = `
10499898100000214032006561000100040099726390  10492006506100010004200997263900989810000021403
42296100100000180847004000002782472617300112  42297004080000278247226173001129610010000018084
46198987500000256311110000000000001028666101  46191110000000000000010286661011898750000025631
46191151700000350001110000000000001274514901  46191110000000000000012745149018115170000035000
46191151700000001011110000000000001274514901  46191110000000000000012745149018115170000000101`
  .trim()
  .split('\n')
  .map((line) => line.split(/\s+/) as [string, string]);

const DAY_MS = 86_400_000;

/** The barcode of a digitable line, from the positions of its parts. */
function barcodeOf(line: string): string {
  const free = line.slice(4, 9) + line.slice(10, 20) + line.slice(21, 31);
  return line.slice(0, 4) + line.slice(32) + free;
}

test.each(VECTORS)('%s is %s', (barcode, digitableLine) => {
  const days = Number(barcode.slice(5, 9));
  const dueDate = new Date(Date.UTC(1997, 9, 7) + days * DAY_MS).toISOString().slice(0, 10);
  const input = {
    bankCode: barcode.slice(0, 3),
    dueDate,
    amountMinor: Number(barcode.slice(9, 19)),
    freeField: barcode.slice(19),
  };
  expect(boletoNumbers(input)).toEqual({ barcode, digitableLine });
  expect(barcodeOf(digitableLine)).toBe(barcode);
  expect(isValidBoleto(digitableLine)).toBe(true);
});

test.each([
  ['1997-10-07', '0000'],
  ['2000-07-03', '1000'],
  ['2025-02-21', '9999'],
  ['2025-02-22', '1000'],
  ['2026-07-24', '1517'],
  ['2049-10-13', '9999'],
  ['2049-10-14', '1000'],
])('the factor of %s is %s', (date, factor) => {
  expect(dueDateFactor(date)).toBe(factor);
});

test.each(['1997-10-06', '2026-02-30', '2026-1-1', '20260101', '2026-01-01T00:00:00Z', 'tomorrow', ''])(
  '%s is not a due date',
  (date) => {
    expect(() => dueDateFactor(date)).toThrow(RangeError);
  },
);

const GOOD = { bankCode: '461', dueDate: '2026-12-01', amountMinor: 100, freeField: '1'.repeat(25) };

test.each([
  { amountMinor: 10_000_000_000 },
  { amountMinor: 0 },
  { amountMinor: -1 },
  { amountMinor: 1.5 },
  { amountMinor: Number.NaN },
  { bankCode: '46' },
  { bankCode: '46A' },
  { freeField: '1'.repeat(24) },
  { freeField: '1'.repeat(26) },
])('rejects %o', (change) => {
  expect(() => boletoNumbers({ ...GOOD, ...change })).toThrow(RangeError);
});

test('the largest amount fits', () => {
  const { digitableLine } = boletoNumbers({ ...GOOD, amountMinor: 9_999_999_999 });
  expect(digitableLine.slice(-10)).toBe('9999999999');
  expect(isValidBoleto(digitableLine)).toBe(true);
});

test('the check digits of bank codes', () => {
  const codes = ['001-9', '033-7', '104-0', '237-2', '341-7', '422-7'];
  expect(codes.map((code) => `${code.slice(0, 3)}-${bankCodeDigit(code.slice(0, 3))}`)).toEqual(codes);
});

const digits = (length: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
    .map((all) => all.join(''));

test('any boleto passes the public check and can be read back', () => {
  const date = fc.date({ min: new Date('2025-02-22'), max: new Date('2049-10-13'), noInvalidDate: true });
  const amount = fc.integer({ min: 1, max: 9_999_999_999 });
  fc.assert(
    // Digitable lines that begin with 8 belong to utility bills.
    fc.property(
      digits(3).filter((code) => !code.startsWith('8')),
      date,
      amount,
      digits(25),
      (bankCode, due, amountMinor, freeField) => {
        const dueDate = due.toISOString().slice(0, 10);
        const { barcode, digitableLine } = boletoNumbers({ bankCode, dueDate, amountMinor, freeField });
        expect(barcode).toMatch(/^\d{44}$/);
        expect(digitableLine).toMatch(/^\d{47}$/);
        expect(isValidBoleto(digitableLine)).toBe(true);
        expect(barcodeOf(digitableLine)).toBe(barcode);
        const info = getBoletoInfo(digitableLine, { referenceDate: new Date(due) });
        expect(info).toMatchObject({ amount: amountMinor, bankCode });
        expect(info?.expirationDate?.toLocaleDateString('sv-SE')).toBe(dueDate);
      },
    ),
    { numRuns: 500 },
  );
});

test('a boleto of the sandbox is due on the day in São Paulo on which it expires', async () => {
  const order = {
    method: 'boleto',
    amountMinor: 100,
    expiresAt: new Date('2026-11-28T01:41:00Z'),
    due: undefined,
  };
  const { boleto } = await artifactOf(order as never, 'id', '');
  expect(boleto?.barcode.slice(5, 9)).toBe(dueDateFactor('2026-11-27'));
});
