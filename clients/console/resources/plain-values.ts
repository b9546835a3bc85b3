// Values of any type in one text field.
import { parseJson, toJson } from '../../typescript/src/core/json.ts';
import { decimalMark, numberOf } from '../kit/number-text.ts';

const WORDS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };

/** A number, true, false, null or JSON if the text is one, else the text. A list has its values between commas. */
export function plainValue(text: string, isList = false): unknown {
  const plain = text.trim();
  if (/^[[{"]/.test(plain)) {
    try {
      return parseJson(plain);
    } catch {
      return plain;
    }
  }
  if (isList) return plain.split(',').map((one) => plainValue(one));
  if (Object.hasOwn(WORDS, plain)) return WORDS[plain];
  // Every digit of an id counts.
  if (/^-?[1-9]\d{15,}$/.test(plain)) return parseJson(plain);
  return numberOf(plain) ?? plain;
}

/** The text that `plainValue` reads as this value. */
export function plainText(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return String(value).replace('.', decimalMark());
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' && !one.includes(',')))
    return value.map(plainText).join(', ');
  return typeof value === 'string' && plainValue(value) === value ? value : toJson(value);
}
