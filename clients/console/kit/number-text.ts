// Numbers as people type them in the language of the page.
import { language } from './language.ts';

export const decimalMark = () => (language() === 'en' ? '.' : ',');

/** Undefined if the text is no number. Groups of digits must be complete. */
export function numberOf(text: string): number | undefined {
  const plain = language() === 'en' ? text : text.replaceAll(/[.,]/g, (mark) => (mark === ',' ? '.' : ','));
  return /^[-+]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?$/.test(plain) ? Number(plain.replaceAll(',', '')) : undefined;
}
