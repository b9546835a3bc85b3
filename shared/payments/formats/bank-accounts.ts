// Validation of bank account numbers outside Brazil.
import { isValidIBAN } from 'ibantools';

/** Whether the text is an IBAN in electronic format (ISO 13616: upper case, no spaces), from `country` (alpha-2) if given. */
export function isIban(iban: string, country?: string): boolean {
  return isValidIBAN(iban) && (country === undefined || iban.startsWith(country));
}

const ABA_WEIGHTS = [3, 7, 1] as const;

// Federal Reserve districts 00 to 12, thrift institutions 21 to 32, electronic transactions 61 to 72, traveler's checks 80.
const ABA_PREFIX = /^(0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)/;

/** Whether the text is a US routing number: nine digits, an assigned prefix and a valid check digit (ANSI X9.9, weights 3-7-1). */
export function isAbaRoutingNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text) || !ABA_PREFIX.test(text) || text === '000000000') return false;
  const sum = Array.from(text, Number).reduce(
    (total, digit, i) => total + digit * (ABA_WEIGHTS[i % 3] ?? 0),
    0,
  );
  return sum % 10 === 0;
}
