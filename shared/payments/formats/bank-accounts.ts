// Numbers that identify bank accounts outside Brazil.
import { isValidIBAN } from 'ibantools';

/** An IBAN in its electronic form (ISO 13616: upper case, no spaces) and, when given, of this country (alpha-2). */
export function isIban(iban: string, country?: string): boolean {
  return isValidIBAN(iban) && (country === undefined || iban.startsWith(country));
}

const ABA_WEIGHTS = [3, 7, 1] as const;

// Federal Reserve districts 00 to 12, thrift institutions 21 to 32, electronic 61 to 72, traveler's cheques 80.
const ABA_PREFIX = /^(0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)/;

/** A US routing transit number: nine digits with an assigned prefix and the check digit of ANSI X9.9 (3-7-1 weights). */
export function isAbaRoutingNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text) || !ABA_PREFIX.test(text) || text === '000000000') return false;
  const sum = Array.from(text, Number).reduce(
    (total, digit, i) => total + digit * (ABA_WEIGHTS[i % 3] ?? 0),
    0,
  );
  return sum % 10 === 0;
}
