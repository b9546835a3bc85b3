// Converts between providers' decimal amounts and our minor units.
import { minorDigitsOf } from '../formats/currencies.ts';

/** Converts minor units: 12345 becomes 123.45 in BRL and 12345 in JPY. */
export function toUnits(amountMinor: number, currency: string): number {
  const digits = minorDigitsOf(currency);
  return Number((amountMinor / 10 ** digits).toFixed(digits));
}

/** Converts to minor units: 123.45 in BRL becomes 12345. Rounds, because 1.15 * 100 is not exactly 115. */
export function toMinor(units: number, currency: string): number {
  return Math.round(units * 10 ** minorDigitsOf(currency));
}
