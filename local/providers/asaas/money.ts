/** Amounts are integer cents internally, and decimal reais in the API. */

export const toReais = (cents: number): number => cents / 100;
export const toReaisOrNull = (cents: number | null): number | null =>
  cents === null ? null : toReais(cents);

/** Undefined if it is not a whole number of cents. */
export function toCents(reais: number): number | undefined {
  const cents = Math.round(reais * 100);
  return Number.isSafeInteger(cents) && Math.abs(cents - reais * 100) < 1e-6 * Math.max(1, Math.abs(cents))
    ? cents
    : undefined;
}
