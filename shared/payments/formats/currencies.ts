/** Number of minor unit digits of a currency (ISO 4217): 2 for BRL, 0 for JPY, 3 for KWD. */
export function minorDigitsOf(currency: string): number {
  return (
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
  );
}
