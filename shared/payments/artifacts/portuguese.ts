// How amounts, dates and tax numbers are written on documents for people.
import { formatCnpj } from '@brazilian-utils/brazilian-utils/format-cnpj';
import { formatCpf } from '@brazilian-utils/brazilian-utils/format-cpf';

/** An amount in minor units of the currency (ISO 4217), like `R$ 1.234,56`. */
export function formatAmount(amountMinor: number, currency: string): string {
  const format = new Intl.NumberFormat('pt-BR', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amountMinor / 10 ** digits);
}

/** `YYYY-MM-DD` as `DD/MM/YYYY`. */
export function formatDate(date: string): string {
  return date.split('-').reverse().join('/');
}

/** A CPF or CNPJ with its punctuation; other numbers as they are, a dash for none. */
export function formatTaxId(taxId: string | undefined): string {
  if (!taxId) return '-';
  if (/^\d{11}$/.test(taxId)) return formatCpf(taxId);
  return taxId.length === 14 ? formatCnpj(taxId, { version: 2 }) : taxId;
}
