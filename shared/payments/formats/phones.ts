// Telephone numbers in E.164. The library's full metadata knows the real number ranges; its smaller
// sets take impossible Brazilian numbers for good.
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** A number of an existing range in exactly the E.164 form (ITU-T): `+`, country code, digits, nothing else. */
export function isPhone(e164: string): boolean {
  const parsed = parsePhoneNumberFromString(e164);
  return parsed?.number === e164 && parsed.isValid();
}
