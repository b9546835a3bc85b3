/** Amounts are integer minor units internally, and decimal major units in the API. */

const WITHOUT_DECIMALS = new Set(['JPY', 'KRW', 'CLP', 'VND', 'UGX']);

const unitOf = (currency: string): number => (WITHOUT_DECIMALS.has(currency) ? 1 : 100);

export const toMajor = (currency: string, minor: number): number => minor / unitOf(currency);

/** Undefined if the amount has more decimals than the currency. */
export function toMinorUnits(currency: string, major: number): number | undefined {
  const exact = major * unitOf(currency);
  const minor = Math.round(exact);
  const isWhole = Math.abs(minor - exact) < 1e-6 * Math.max(1, Math.abs(minor));
  return Number.isSafeInteger(minor) && isWhole ? minor : undefined;
}

/** An amount with its currency in the API's format. */
export const renderAmount = (currency: string, minor: number) => ({
  value: toMajor(currency, minor),
  currency,
});

/** Converts minor units between currencies. */
export function convert(from: { currency: string; minor: number }, to: string, rate: number): number {
  return Math.round(toMajor(from.currency, from.minor) * rate * unitOf(to));
}
