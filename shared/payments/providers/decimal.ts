// Amounts as providers write them, in units with decimals, and as we do, in minor units.
import { minorDigitsOf } from '../formats/currencies.ts';

/** 12345 of BRL is 123.45, of JPY 12345. */
export function toUnits(amountMinor: number, currency: string): number {
  const digits = minorDigitsOf(currency);
  return Number((amountMinor / 10 ** digits).toFixed(digits));
}

/** 123.45 of BRL is 12345: rounded, since 1.15 * 100 is not 115. */
export function toMinor(units: number, currency: string): number {
  return Math.round(units * 10 ** minorDigitsOf(currency));
}
