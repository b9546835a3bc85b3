// Whether what a provider gives to be paid can be paid, and asks for the right amount.
import { mod10, mod11 } from '../formats/documents.ts';
import type { BoletoNumbers } from './boleto.ts';
import { crc16 } from './pix.ts';

/**
 * What is wrong with a PIX text (BR Code) for this amount; undefined where nothing is. Dynamic codes need not carry the amount:
 * the one at their address rules.
 */
export function pixPayloadFault(payload: string, amountMinor: number): string | undefined {
  if (!payload.startsWith('000201')) return 'the PIX text is no BR Code';
  const [body, crc] = [payload.slice(0, -4), payload.slice(-4)];
  if (!body.endsWith('6304') || crc16(body) !== crc.toUpperCase())
    return 'the check sum of the PIX text is wrong';
  const objects = objectsOf(payload);
  if (!objects) return 'the PIX text is no BR Code';
  const amount = objects.get('54');
  if (amount !== undefined && Math.round(Number(amount) * 100) !== amountMinor)
    return 'the PIX text asks for another amount';
  return undefined;
}

/** The objects of a BR Code by their two digits; undefined where their lengths do not add up. */
function objectsOf(payload: string): Map<string, string> | undefined {
  const objects = new Map<string, string>();
  let at = 0;
  while (at < payload.length) {
    const head = payload.slice(at, at + 4);
    if (!/^\d{4}$/.test(head)) return undefined;
    const end = at + 4 + Number(head.slice(2));
    if (end > payload.length) return undefined;
    objects.set(head.slice(0, 2), payload.slice(at + 4, end));
    at = end;
  }
  return objects;
}

/** The barcode whose numbers the typed line of a boleto has (FEBRABAN); undefined where it is no such line. */
export function barcodeOf(digitableLine: string): string | undefined {
  if (!/^\d{47}$/.test(digitableLine)) return undefined;
  const part = (from: number, to: number) => digitableLine.slice(from, to);
  return part(0, 4) + part(32, 47) + part(4, 9) + part(10, 20) + part(21, 31);
}

/** What is wrong with the numbers of a boleto for this amount; undefined where nothing is. */
export function boletoFault(
  { digitableLine, barcode }: BoletoNumbers,
  amountMinor: number,
): string | undefined {
  if (barcodeOf(digitableLine) !== barcode) return 'line and barcode of the boleto differ';
  const fields = [digitableLine.slice(0, 10), digitableLine.slice(10, 21), digitableLine.slice(21, 32)];
  const whole = barcode.slice(0, 4) + barcode.slice(5);
  const right =
    fields.every((field) => mod10(field.slice(0, -1)) === Number(field.slice(-1))) &&
    mod11(whole, { whenBelowTwo: 1 }) === Number(barcode[4]);
  if (!right) return 'a check digit of the boleto is wrong';
  return Number(barcode.slice(9, 19)) === amountMinor ? undefined : 'the boleto asks for another amount';
}
