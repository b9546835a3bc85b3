/** How many digits the minor unit of a currency has (ISO 4217): 2 of BRL, 0 of JPY, 3 of KWD. */
export function minorDigitsOf(currency: string): number {
  return (
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
  );
}
