import fc from 'fast-check';
import decodeQR from 'qr/decode.js';
import { expect, test } from 'vitest';
import { boletoNumbers } from '../../../../shared/payments/artifacts/boleto.ts';
import { interleaved2of5, renderBoletoPdf } from '../../../../shared/payments/artifacts/boleto-pdf.ts';
import { pixPayload } from '../../../../shared/payments/artifacts/pix.ts';
import { bitmapOf, decode2of5, readPdf } from '../../../support/payments/read-pdf.ts';

const NUMBERS = boletoNumbers({
  bankCode: '461',
  dueDate: '2026-12-01',
  amountMinor: 123_456,
  freeField: '1110000000000000012745149',
});

const INPUT = {
  payer: { name: 'João da Silva', taxId: '52998224725' },
  beneficiary: { name: 'Ação & Cia Ltda', taxId: '12ABC34501DE35' },
  description: 'Mensalidade de novembro',
  ourNumber: 'INV-2026-000001',
  amountMinor: 123_456,
  currency: 'BRL',
  issuedOn: '2026-11-20',
  dueDate: '2026-12-01',
  ...NUMBERS,
};

const MM = 72 / 25.4;
const isBarcode = (bars: { height: number }[]) =>
  bars.every(({ height }) => Math.abs(height - 13 * MM) < 0.01);

test('one page with the numbers, the parties and a barcode that can be read back', async () => {
  const pdf = await readPdf(await renderBoletoPdf(INPUT));
  expect(pdf.pages).toBe(1);
  const lines = pdf.texts.map((text) => text.replace(/[ .]/g, ''));
  expect(lines.filter((line) => line === NUMBERS.digitableLine)).toHaveLength(2);
  for (const text of ['João da Silva', '529.982.247-25', 'Ação & Cia Ltda', '12.ABC.345/01DE-35', '461-8'])
    expect(pdf.texts).toContain(text);
  for (const text of [
    'INV-2026-000001',
    '20/11/2026',
    '01/12/2026',
    'R$ 1.234,56',
    'Mensalidade de novembro',
  ])
    expect(pdf.texts).toContain(text);
  const bars = pdf.fills.find(isBarcode) ?? [];
  const ends = bars.map(({ x, width }) => x + width);
  expect(Math.max(...ends) - Math.min(...bars.map(({ x }) => x))).toBeCloseTo(103 * MM, 1);
  expect(decode2of5(bars)).toBe(NUMBERS.barcode);
  expect(pdf.texts).not.toContain('Pague com PIX');
});

test('the PIX code is included if there is one', async () => {
  const payload = pixPayload({
    url: 'pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441',
    amountMinor: 123_456,
    txid: 'T1',
    merchantName: 'Ação & Cia Ltda',
    merchantCity: 'São Paulo',
  });
  const pdf = await readPdf(await renderBoletoPdf({ ...INPUT, pixPayload: payload, notice: 'TESTE' }));
  expect(pdf.texts).toEqual(expect.arrayContaining(['TESTE', 'Pague com PIX']));
  expect(pdf.texts.join('')).toContain(payload);
  const modules = pdf.fills.find((fill) => fill.length > 300) ?? [];
  expect(decodeQR(bitmapOf(modules))).toBe(payload);
});

test('texts that are too long or not in the font stay on one page', async () => {
  const name = `${'W'.repeat(200)} Łódź 日本 \u{1F600}\u0001\u200b`;
  const description = `tab\tz\u0306 Dvořák\r\n\n${'x'.repeat(900)}`;
  const pdf = await readPdf(
    await renderBoletoPdf({
      ...INPUT,
      payer: { name },
      beneficiary: { name: '\u{1F600} Dvořák' },
      description,
    }),
  );
  expect(pdf.pages).toBe(1);
  expect(pdf.texts).toContain('? Dvorák');
  expect(pdf.texts.some((text) => /^W+…$/.test(text))).toBe(true);
  expect(decode2of5(pdf.fills.find(isBarcode) ?? [])).toBe(NUMBERS.barcode);
});

test('any text and amount can be rendered', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 300 });
  const amount = fc.integer({ min: 1, max: 9_999_999_999 });
  await fc.assert(
    fc.asyncProperty(text, text, amount, async (name, description, amountMinor) => {
      const bytes = await renderBoletoPdf({ ...INPUT, payer: { name }, description, amountMinor });
      expect((await readPdf(bytes)).pages).toBe(1);
    }),
    { numRuns: 10 },
  );
});

test('any even number of digits reads back as bars', () => {
  const pair = fc.integer({ min: 0, max: 99 }).map((n) => String(n).padStart(2, '0'));
  fc.assert(
    fc.property(fc.array(pair, { minLength: 1, maxLength: 30 }), (pairs) => {
      const area = { x: 10, y: 0, width: 300, height: 1 };
      expect(decode2of5(interleaved2of5(pairs.join(''), area))).toBe(pairs.join(''));
    }),
  );
});

test.each(['', '1', '123', '12a4'])('no bars for %s', (digits) => {
  expect(() => interleaved2of5(digits, { x: 0, y: 0, width: 1, height: 1 })).toThrow(RangeError);
});
