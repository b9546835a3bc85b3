// PIX keys in the form in which the central bank's directory (DICT) keeps them.
import { getPixKeyInfo } from '@brazilian-utils/brazilian-utils/get-pix-key-info';
import { isCnpj, isCpf } from './documents.ts';
import { isPhone } from './phones.ts';

export type PixKeyType = 'cpf' | 'cnpj' | 'email' | 'phone' | 'evp';

/** Longest e-mail key (DICT). */
const MAX_EMAIL_LENGTH = 77;

// The library also reads keys written otherwise; its value is the canonical form.
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
 * Whether the key has the exact form of its type (BCB, API DICT): bare CPF or CNPJ, lower-case e-mail
 * of at most 77 characters, Brazilian phone in E.164, or a random key as a lower-case UUID.
 */
export function isPixKey(type: PixKeyType, key: string): boolean {
  return CHECKS[type](key);
}
