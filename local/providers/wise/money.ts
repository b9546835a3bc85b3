/** Amounts are whole minor units inside, and decimal numbers of the currency on the wire. */

const WITHOUT_DECIMALS = new Set(['JPY', 'KRW', 'CLP', 'VND', 'UGX']);

const unitOf = (currency: string): number => (WITHOUT_DECIMALS.has(currency) ? 1 : 100);

export const toMajor = (currency: string, minor: number): number => minor / unitOf(currency);

/** Undefined for what has more decimals than the currency. */
export function toMinor(currency: string, major: number): number | undefined {
  const exact = major * unitOf(currency);
  const minor = Math.round(exact);
  const isWhole = Math.abs(minor - exact) < 1e-6 * Math.max(1, Math.abs(minor));
  return Number.isSafeInteger(minor) && isWhole ? minor : undefined;
}

/** As the wire writes an amount with its currency. */
export const renderAmount = (currency: string, minor: number) => ({
  value: toMajor(currency, minor),
  currency,
});

/** Minor units of one currency in those of another. */
export function convert(from: { currency: string; minor: number }, to: string, rate: number): number {
  return Math.round(toMajor(from.currency, from.minor) * rate * unitOf(to));
}
