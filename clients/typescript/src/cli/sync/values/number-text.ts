// Reads numbers and amounts of money in both notations: `1.250,50` and `1,250.50`.

export type DecimalSign = ',' | '.';

export interface Amount {
  value: number;
  /** Currency of the sign or code next to the number. */
  currency: string | undefined;
}

const CURRENCIES: Readonly<Record<string, string>> = {
  R$: 'BRL',
  US$: 'USD',
  U$: 'USD',
  '€': 'EUR',
  '£': 'GBP',
};
const SIGN = String.raw`R\$|US\$|U\$|\$|€|£|[A-Z]{3}`;
const AMOUNT = new RegExp(
  String.raw`^(?<open>[-(])? ?(?<before>${SIGN})? ?(?<minus>-)? ?(?<digits>[\d.,](?:[\d.,' ]*\d)?) ?(?<after>${SIGN})?(?<close>[-)])?$`,
);
/** Excel's zero in formats for accounting. */
const ZERO = new RegExp(`^(?<before>${SIGN})? ?- ?(?<after>${SIGN})?$`);
/** A group sign is the same throughout a number. */
const DIGITS = {
  ',': /^(?:\d{1,3}(?:([. '])\d{3}(?:\1\d{3})*)?|\d+)(?:,\d+)?$/,
  '.': /^(?:\d{1,3}(?:([, '])\d{3}(?:\1\d{3})*)?|\d+)(?:\.\d+)?$/,
};

/** The number of a text with this decimal sign; undefined if it is not one. */
export function parseNumber(text: string, decimalSign: DecimalSign): Amount | undefined {
  const plain = text.trim().replaceAll(/\s/g, ' ').replaceAll('\u2212', '-');
  const zero = ZERO.exec(plain)?.groups;
  if (zero) return { value: 0, currency: currencyOf(zero.before ?? zero.after) };
  const { open, before, minus, digits = '', after, close } = AMOUNT.exec(plain)?.groups ?? {};
  if (!DIGITS[decimalSign].test(digits)) return undefined;
  const negative = [open === '-', minus, open === '(' && close === ')', close === '-'].filter(Boolean).length;
  const isBalanced = (open === '(') === (close === ')');
  if (!isBalanced || negative > 1 || (before && after)) return undefined;
  const groupSigns = decimalSign === ',' ? /[. ']/g : /[, ']/g;
  const size = Number(digits.replaceAll(groupSigns, '').replace(',', '.'));
  return { value: negative ? -size : size, currency: currencyOf(before ?? after) };
}

/** The currency of a sign or code; undefined for `$`, which several currencies have. */
export const currencyOf = (sign: string | undefined): string | undefined =>
  sign === undefined || sign === '$' ? undefined : (CURRENCIES[sign] ?? sign);

/** A number that Excel shortened to fit its column: its last digits are lost. */
export const isShortened = (text: string): boolean => /^-?\d(?:[.,]\d+)?E\+\d+$/i.test(text);
