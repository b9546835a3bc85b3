// Verifies that the PIX codes and boletos of providers are payable and have the right amount.
import { mod10, mod11 } from '../formats/documents.ts';
import { type BoletoNumbers, dueDateFactor } from './boleto.ts';
import { crc16 } from './pix.ts';

/**
 * Returns why a PIX text (BR Code) is invalid for this amount; undefined if it is valid. Dynamic codes may omit the amount, because the
 * amount at their URL takes precedence.
 */
export function pixPayloadError(payload: string, amountMinor: number): string | undefined {
  if (!payload.startsWith('000201')) return 'the PIX text is not a valid BR Code';
  const [body, crc] = [payload.slice(0, -4), payload.slice(-4)];
  if (!body.endsWith('6304') || crc16(body) !== crc.toUpperCase())
    return 'the checksum of the PIX text is wrong';
  const objects = objectsOf(payload);
  if (!objects) return 'the PIX text is not a valid BR Code';
  const amount = objects.get('54');
  if (amount !== undefined && Math.round(Number(amount) * 100) !== amountMinor)
    return 'the PIX text has a different amount';
  return undefined;
}

/** The objects of a BR Code by their two-digit id; undefined if their lengths do not add up. */
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

/** The barcode that corresponds to a digitable line (FEBRABAN); undefined if the line is invalid. */
export function barcodeOf(digitableLine: string): string | undefined {
  if (!/^\d{47}$/.test(digitableLine)) return undefined;
  const part = (from: number, to: number) => digitableLine.slice(from, to);
  return part(0, 4) + part(32, 47) + part(4, 9) + part(10, 20) + part(21, 31);
}

/** Returns why a boleto's numbers are invalid for this amount and, if given, this due date; undefined if they are valid. */
export function boletoError(
  { digitableLine, barcode }: BoletoNumbers,
  amountMinor: number,
  dueDate?: string,
): string | undefined {
  if (barcodeOf(digitableLine) !== barcode)
    return 'the digitable line and the barcode of the boleto do not match';
  const fields = [digitableLine.slice(0, 10), digitableLine.slice(10, 21), digitableLine.slice(21, 32)];
  const whole = barcode.slice(0, 4) + barcode.slice(5);
  const right =
    fields.every((field) => mod10(field.slice(0, -1)) === Number(field.slice(-1))) &&
    mod11(whole, { whenBelowTwo: 1 }) === Number(barcode[4]);
  if (!right) return 'a check digit of the boleto is wrong';
  if (Number(barcode.slice(9, 19)) !== amountMinor) return 'the boleto has a different amount';
  const isDueThen = dueDate === undefined || barcode.slice(5, 9) === dueDateFactor(dueDate);
  return isDueThen ? undefined : 'the boleto has a different due date';
}
