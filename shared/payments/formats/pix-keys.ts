// Validation of PIX keys in the format of the central bank's directory (DICT).
import { getPixKeyInfo } from '@brazilian-utils/brazilian-utils/get-pix-key-info';
import { isCnpj, isCpf } from './documents.ts';
import { isPhone } from './phones.ts';

export type PixKeyType = 'cpf' | 'cnpj' | 'email' | 'phone' | 'evp';

/** Maximum length of an email key (DICT). */
const MAX_EMAIL_LENGTH = 77;

// The library also accepts other notations; `value` is the canonical one.
const isCanonical = (type: PixKeyType, key: string) => {
  const info = getPixKeyInfo(key);
  return info?.type === type && info.value === key;
};

const CHECKS: Record<PixKeyType, (key: string) => boolean> = {
  cpf: isCpf,
  cnpj: isCnpj,
  email: (key) => key.length <= MAX_EMAIL_LENGTH && isCanonical('email', key),
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
