// Validation of bank account numbers outside Brazil.
import { getPixKeyInfo } from '@brazilian-utils/brazilian-utils/get-pix-key-info';
import { isValidIBAN } from 'ibantools';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { isCnpj, isCpf } from './documents.ts';

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

/** Whether the text is a phone number from an assigned range, in exact E.164 format (ITU-T): `+`, country code and digits only. */
export function isPhone(e164: string): boolean {
  const parsed = parsePhoneNumberFromString(e164);
  return parsed?.number === e164 && parsed.isValid();
}

export type PixKeyType = 'cpf' | 'cnpj' | 'email' | 'phone' | 'evp';

/** Maximum length of an email key (DICT). */
const MAX_EMAIL_LENGTH = 77;

/** An email key as the DICT defines it. The library rejects some characters of the local part, such as `&`, `!` and `/`. */
const EMAIL_KEY =
  /^[a-z0-9.!#$&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

// The library also accepts other notations; `value` is the canonical one.
const isCanonical = (type: PixKeyType, key: string) => {
  const info = getPixKeyInfo(key);
  return info?.type === type && info.value === key;
};

const CHECKS: Record<PixKeyType, (key: string) => boolean> = {
  cpf: isCpf,
  cnpj: isCnpj,
  email: (key) => key.length <= MAX_EMAIL_LENGTH && EMAIL_KEY.test(key),
  phone: (key) => key.startsWith('+55') && isPhone(key),
  evp: (key) => isCanonical('evp', key),
};

/**
 * Whether the key has the exact format of its type (BCB, API DICT): CPF or CNPJ without punctuation, lower-case email of at most
 * 77 characters, Brazilian phone number in E.164, or a random key as a lower-case UUID.
 */
export function isPixKey(type: PixKeyType, key: string): boolean {
  return CHECKS[type](key);
}
