// The check digits of Brazilian bank and tax documents.

/** Modulo 10 with weights 2, 1, 2, ... from the right, digits of each product added up (FEBRABAN, fields of a boleto's line). */
export function mod10(digits: string): number {
  const sum = Array.from(digits, Number)
    .reverse()
    .map((digit, i) => (i % 2 === 0 ? 2 * digit : digit))
    .reduce((total, product) => total + (product > 9 ? product - 9 : product), 0);
  return (10 - (sum % 10)) % 10;
}

/** Modulo 11 with weights 2 to 9 from the right, over and over: 11 minus the remainder, or `whenBelowTwo` for remainders 0 and 1. */
export function mod11(digits: string, { whenBelowTwo }: { whenBelowTwo: 0 | 1 }): number {
  const remainder =
    Array.from(digits, Number)
      .reverse()
      .reduce((total, digit, i) => total + digit * (2 + (i % 8)), 0) % 11;
  return remainder < 2 ? whenBelowTwo : 11 - remainder;
}
