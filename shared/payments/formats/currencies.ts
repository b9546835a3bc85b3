// The currencies of ISO 4217 whose minor unit does not have two digits. `Intl` is not used: it returns the digits that people write, which
// is 0 for the Albanian lek and, in some runtime versions, for the forint. Amounts would be off by a factor of 100.
const WITHOUT_MINOR_UNIT = new Set(
  'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' '),
);
const THREE_DIGITS = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '));

/** Number of minor unit digits of a currency (ISO 4217): 2 for BRL, 0 for JPY, 3 for KWD. */
export function minorDigitsOf(currency: string): number {
  if (WITHOUT_MINOR_UNIT.has(currency)) return 0;
  return THREE_DIGITS.has(currency) ? 3 : 2;
}

/** Converts minor units: 12345 becomes 123.45 in BRL and 12345 in JPY. */
export function toMajorUnits(amountMinor: number, currency: string): number {
  const digits = minorDigitsOf(currency);
  return Number((amountMinor / 10 ** digits).toFixed(digits));
}

/** Converts to minor units: 123.45 in BRL becomes 12345. Rounds, because 1.15 * 100 is not exactly 115. */
export function toMinorUnits(units: number, currency: string): number {
  return Math.round(units * 10 ** minorDigitsOf(currency));
}
