import { getPixPayloadInfo } from '@brazilian-utils/brazilian-utils/get-pix-payload-info';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc16, pixPayload } from '../../../../shared/payments/artifacts/pix.ts';
import { qrPng } from '../../../../shared/payments/artifacts/qr.ts';
import { readQrPng } from '../../../support/payments/qr.ts';

const VECTORS = [
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D',
  '00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4',
  '00020101021226820014br.gov.bcb.pix2560pix-h.asaas.com/qr/cobv/618c88aa-7beb-4abf-ad17-4213dc8fa3805204000053039865802BR5919Pr Solucoes Sandbox6007Itajuba61083750228062070503***6304C50D',
  '00020126510014br.gov.bcb.pix0115thalesog@me.com0210Pedido 123520400005303986540510.005802BR5914THALES OGLIARI6015SAO MIGUEL DO O62070503***63040DC6',
];

type Objects = [id: string, value: string][];

/** The objects of a BR Code in order. Throws if the lengths do not match. */
function parse(text: string): Objects {
  const objects: Objects = [];
  for (let at = 0; at < text.length; ) {
    const id = text.slice(at, at + 2);
    const length = Number(text.slice(at + 2, at + 4));
    const value = text.slice(at + 4, at + 4 + length);
    if (!/^\d\d$/.test(id) || value.length !== length) throw new Error(`malformed at ${at}`);
    objects.push([id, value]);
    at += 4 + length;
  }
  return objects;
}

const encode = (objects: Objects) =>
  objects.map(([id, value]) => `${id}${String(value.length).padStart(2, '0')}${value}`).join('');

function crcOf(payload: string): string {
  return crc16(payload.slice(0, -4));
}

test('the check value of CRC-16/CCITT-FALSE', () => {
  expect(crc16('123456789')).toBe('29B1');
});

test.each(VECTORS)('%s', (payload) => {
  const objects = parse(payload);
  expect(encode(objects)).toBe(payload);
  expect(objects.at(-1)).toEqual(['63', crcOf(payload)]);
  expect(getPixPayloadInfo(payload)).not.toBeNull();
});

test('a static payload matches the manual, with amount and txid', () => {
  const input = {
    key: '123e4567-e12b-12d1-a456-426655440000',
    merchantName: 'Fulano de Tal',
    merchantCity: 'BRASILIA',
  };
  const payload = pixPayload({ ...input, amountMinor: 1, txid: 'INV2026000001' });
  const expected = new Map(parse(VECTORS[0] ?? ''));
  expected.set('54', '0.01').set('62', '0513INV2026000001').set('63', crcOf(payload));
  expect(new Map(parse(payload))).toEqual(expected);
});

test('a dynamic payload is for single use, and differs from the manual only in the amount', () => {
  const url = 'pix.example.com/8b3da2f39a4140d1a91abd93113bd441';
  const payload = pixPayload({
    url,
    amountMinor: 123_456,
    txid: 'x',
    merchantName: 'Fulano de Tal',
    merchantCity: 'BRASILIA',
  });
  const objects = parse(payload);
  expect(objects.map(([id]) => id).join()).toBe('00,01,26,52,53,54,58,59,60,62,63');
  expect(objects[5]).toEqual(['54', '1234.56']);
  expect(encode(objects.filter(([id]) => id !== '54')).slice(0, -4)).toBe(VECTORS[1]?.slice(0, -4));
});

test('texts chosen by an attacker stay inside their objects', () => {
  const payload = pixPayload({
    url: 'pix.example.com/5204000053039865802BR',
    amountMinor: 100,
    txid: 'x',
    merchantName: '53039865802BR540599999',
    merchantCity: '日本',
  });
  expect(Object.fromEntries(parse(payload))).toMatchObject({
    54: '1.00',
    59: '53039865802BR540599999',
    60: 'BRASIL',
  });
});

test('any name and amount makes a payload that can be read back', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 });
  const account = fc.constantFrom({ key: 'fulano@example.com' }, { url: 'pix.example.com/qr/v2/1' });
  const amount = fc.integer({ min: 1, max: 99_999_999_999 });
  fc.assert(
    fc.property(text, text, amount, account, (merchantName, merchantCity, amountMinor, to) => {
      const payload = pixPayload({ ...to, amountMinor, txid: 'T1', merchantName, merchantCity });
      const objects = Object.fromEntries(parse(payload));
      expect(payload).toMatch(/^[\x20-\x7e]+$/);
      expect(objects['63']).toBe(crcOf(payload));
      expect(Math.round(Number(objects['54']) * 100)).toBe(amountMinor);
      expect(objects['59']).toMatch(/^.{1,25}$/);
      expect(objects['60']).toMatch(/^.{1,15}$/);
      expect(getPixPayloadInfo(payload)).toMatchObject(to);
    }),
  );
});

const STATIC = {
  key: 'fulano@example.com',
  amountMinor: 1,
  txid: 'T1',
  merchantName: 'A',
  merchantCity: 'B',
};

test.each([
  { ...STATIC, amountMinor: 0 },
  { ...STATIC, amountMinor: 1.5 },
  { ...STATIC, amountMinor: Number.NaN },
  { ...STATIC, txid: 'a-b' },
  { ...STATIC, txid: 'x'.repeat(26) },
  { ...STATIC, txid: '' },
  { ...STATIC, key: 'not a key' },
])('rejects %o', (input) => {
  expect(() => pixPayload(input)).toThrow(RangeError);
});

test('rejects a location that does not fit', () => {
  const { key: _, ...rest } = STATIC;
  for (const url of ['https://pix.example.com/1', `pix.example.com/${'1'.repeat(70)}`, ''])
    expect(() => pixPayload({ ...rest, url })).toThrow(RangeError);
});

test.each(VECTORS)('the QR code can be read back: %s', (payload) => {
  const { text, size, border } = readQrPng(new Uint8Array(qrPng(payload)));
  expect([text, border]).toEqual([payload, 4 * 8]);
  expect(size).toBeGreaterThan(300);
});
