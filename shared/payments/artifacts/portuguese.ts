// Portuguese formatting of amounts, dates and tax ids on documents.
import { formatCnpj } from '@brazilian-utils/brazilian-utils/format-cnpj';
import { formatCpf } from '@brazilian-utils/brazilian-utils/format-cpf';
import { minorDigitsOf } from '../formats/currencies.ts';

/** Formats an amount in minor units of the currency (ISO 4217), such as `R$ 1.234,56`. */
export function formatAmount(amountMinor: number, currency: string): string {
  const digits = minorDigitsOf(currency);
  const format = new Intl.NumberFormat('pt-BR', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return format.format(amountMinor / 10 ** digits);
}

/** `YYYY-MM-DD` as `DD/MM/YYYY`. */
export function formatDate(date: string): string {
  return date.split('-').reverse().join('/');
}

/** A CPF or CNPJ with punctuation. Other numbers are unchanged; `-` if absent. */
export function formatTaxId(taxId: string | undefined): string {
  if (!taxId) return '-';
  if (/^\d{11}$/.test(taxId)) return formatCpf(taxId);
  return taxId.length === 14 ? formatCnpj(taxId, { version: 2 }) : taxId;
}
