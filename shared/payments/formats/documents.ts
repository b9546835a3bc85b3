// Brazilian tax numbers, in the bare form in which they are kept: no punctuation, upper case.
import { isValidCnpj } from '@brazilian-utils/brazilian-utils/is-valid-cnpj';
import { isValidCpf } from '@brazilian-utils/brazilian-utils/is-valid-cpf';

/** A person's number: 11 digits with right check digits, not all the same (Receita Federal). */
export function isCpf(text: string): boolean {
  return /^\d{11}$/.test(text) && isValidCpf(text);
}

/**
 * A company's number: 14 characters with right check digits, numeric or in the alphanumeric form of
 * 2026 (upper case); 14 equal digits are none (Receita Federal, IN RFB 2.229/2024).
 */
export function isCnpj(text: string): boolean {
  return /^[0-9A-Z]{12}\d{2}$/.test(text) && isValidCnpj(text, { version: 2 });
}

/** A CPF or a CNPJ. */
export function isTaxId(text: string): boolean {
  return isCpf(text) || isCnpj(text);
}
