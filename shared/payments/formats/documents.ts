// Brazilian tax ids, and check digits of boletos and tax documents. All numbers are in stored format: no punctuation, upper case.
import { isValidCnpj } from '@brazilian-utils/brazilian-utils/is-valid-cnpj';
import { isValidCpf } from '@brazilian-utils/brazilian-utils/is-valid-cpf';

/** A person's tax id: 11 digits with valid check digits, not all equal (Receita Federal). */
export function isCpf(text: string): boolean {
  return /^\d{11}$/.test(text) && isValidCpf(text);
}

/**
 * A company's tax id: 14 characters with valid check digits, numeric or in the alphanumeric format of 2026 (upper case). 14 equal
 * digits are invalid (Receita Federal, IN RFB 2.229/2024).
 */
export function isCnpj(text: string): boolean {
  return /^[0-9A-Z]{12}\d{2}$/.test(text) && isValidCnpj(text, { version: 2 });
}

/** A CPF or a CNPJ. */
export function isTaxId(text: string): boolean {
  return isCpf(text) || isCnpj(text);
}

/** Modulo 10 with weights 2, 1, 2, ... from the right, summing the digits of each product (FEBRABAN, fields of the digitable line). */
export function mod10(digits: string): number {
  const sum = Array.from(digits, Number)
    .reverse()
    .map((digit, i) => (i % 2 === 0 ? 2 * digit : digit))
    .reduce((total, product) => total + (product > 9 ? product - 9 : product), 0);
  return (10 - (sum % 10)) % 10;
}

/**
 * Modulo 11 with weights 2 to 9 repeating from the right: 11 minus the remainder, or `whenBelowTwo` for remainders 0 and 1. A letter
 * counts as its ASCII code minus 48 (Receita Federal, CNPJ with letters).
 */
export function mod11(characters: string, { whenBelowTwo }: { whenBelowTwo: 0 | 1 }): number {
  const remainder =
    Array.from(characters, (one) => one.charCodeAt(0) - 48)
      .reverse()
      .reduce((total, value, i) => total + value * (2 + (i % 8)), 0) % 11;
  return remainder < 2 ? whenBelowTwo : 11 - remainder;
}
