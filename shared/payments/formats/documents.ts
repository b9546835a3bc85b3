// Brazilian tax numbers, and the check digits of boletos and tax documents. Numbers are in the bare form in which they are kept: no punctuation, upper case.
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
