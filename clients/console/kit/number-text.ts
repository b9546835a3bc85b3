// Numbers as people type them.
import { language } from './language.ts';

export const decimalMark = () => (language() === 'en' ? '.' : ',');

const parse = (text: string, decimals: string | undefined): number | undefined => {
  const plain = text.replaceAll(/[.,]/g, (mark) => (mark === decimals ? '.' : ','));
  return /^[-+]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?$/.test(plain) ? Number(plain.replaceAll(',', '')) : undefined;
};

/** A number in the notation of the page. Undefined if the text is none. Groups of digits must be complete. */
export const numberOf = (text: string): number | undefined => parse(text, decimalMark());

/**
 * A number in the notation of either language: 4500, 4,500.00, 4.500,00, R$ 4 500. Undefined if the text is none, or could be two: on an
 * English page, 4.500 is 4500 to a Brazilian.
 */
export function amountOf(typed: string): number | undefined {
  const text = typed.replace(/^R?\$\s*/, '').replaceAll(/(?<=\d)\s(?=\d{3}(?!\d))/g, '');
  const marks = text.match(/[.,]/g) ?? [];
  const last = marks.at(-1);
  if (marks.length > 1) return parse(text, new Set(marks).size > 1 ? last : undefined);
  if (!/^[-+]?[1-9]\d{0,2}[.,]\d{3}$/.test(text)) return parse(text, last);
  return last === decimalMark() ? undefined : parse(text, undefined);
}
