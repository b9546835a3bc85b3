import { describe, expect, test } from 'vitest';
import { barcodeOf, boletoError, pixPayloadError } from '../../../../shared/payments/artifacts/verify.ts';

const DYNAMIC =
  '00020101021226820014br.gov.bcb.pix2560pix-h.asaas.com/qr/cobv/618c88aa-7beb-4abf-ad17-4213dc8fa3805204000053039865802BR5919Pr Solucoes Sandbox6007Itajuba61083750228062070503***6304C50D';
const STATIC_TEN =
  '00020126510014br.gov.bcb.pix0115thalesog@me.com0210Pedido 123520400005303986540510.005802BR5914THALES OGLIARI6015SAO MIGUEL DO O62070503***63040DC6';

describe('the payload of a PIX charge', () => {
  test('is accepted with its amount, or without one', () => {
    expect(pixPayloadError(STATIC_TEN, 1_000)).toBeUndefined();
    expect(pixPayloadError(DYNAMIC, 12_345)).toBeUndefined();
  });

  test.each([
    ['another amount', STATIC_TEN, 1_001],
    ['a changed letter', DYNAMIC.replace('Itajuba', 'Itajubb'), 1],
    ['another check sum', DYNAMIC.replace('C50D', 'C50E'), 1],
    ['nothing', '', 1],
    ['an address', 'https://pix.example/1', 1],
  ])('is rejected for %s', (_, payload, amountMinor) => {
    expect(pixPayloadError(payload, amountMinor)).toBeDefined();
  });
});

describe('the numbers of a boleto', () => {
  const numbers = {
    barcode: '46191151700000350001110000000000001274514901',
    digitableLine: '46191110000000000000012745149018115170000035000',
  };

  test.each([
    [
      '10499898100000214032006561000100040099726390',
      '10492006506100010004200997263900989810000021403',
      21_403,
    ],
    [
      '42296100100000180847004000002782472617300112',
      '42297004080000278247226173001129610010000018084',
      18_084,
    ],
    [numbers.barcode, numbers.digitableLine, 35_000],
  ])('%s', (barcode, digitableLine, amountMinor) => {
    expect(barcodeOf(digitableLine)).toBe(barcode);
    expect(boletoError({ barcode, digitableLine }, amountMinor)).toBeUndefined();
  });

  test.each(Array.from({ length: 47 }, (_, at) => at))('rejects a changed digit at %i of the line', (at) => {
    const changed = String((Number(numbers.digitableLine[at]) + 1) % 10);
    const digitableLine = numbers.digitableLine.slice(0, at) + changed + numbers.digitableLine.slice(at + 1);
    expect(boletoError({ ...numbers, digitableLine }, 35_000)).toBeDefined();
    const barcode = barcodeOf(digitableLine) ?? '';
    expect(boletoError({ barcode, digitableLine }, 35_000)).toBeDefined();
  });

  test('rejects another amount, and text that is not a line', () => {
    expect(boletoError(numbers, 35_001)).toBe('the boleto has a different amount');
    expect(boletoError({ barcode: '', digitableLine: '' }, 1)).toBeDefined();
  });
});
