// Validation of E.164 phone numbers. Uses the library's full metadata, because its smaller sets accept impossible Brazilian numbers.
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** Whether the text is a phone number from an assigned range, in exact E.164 format (ITU-T): `+`, country code and digits only. */
export function isPhone(e164: string): boolean {
  const parsed = parsePhoneNumberFromString(e164);
  return parsed?.number === e164 && parsed.isValid();
}
