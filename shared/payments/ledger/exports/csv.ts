// Ledger entries as CSV (RFC 4180).
import { escapeFormula } from '../../../platform/formula-text.ts';
import { minorDigitsOf } from '../../formats/currencies.ts';
import { sourceOf } from '../serialize.ts';
import type { ExportLocale } from './options.ts';
import { csvHeaders, nameInPortuguese } from './portuguese.ts';
import type { ExportedEntry } from './queries.ts';

export interface ExportWriter {
  head: string;
  write(entry: ExportedEntry): string;
  tail: string;
}

export function csvWriter(locale: ExportLocale): ExportWriter {
  const isBrazilian = locale === 'pt-BR';
  const separator = isBrazilian ? ';' : ',';
  const amount = (minor: number, currency: string) => {
    const text = decimalOf(minor, minorDigitsOf(currency));
    return isBrazilian ? text.replace('.', ',') : text;
  };
  const name = (text: string) => (isBrazilian ? nameInPortuguese(text) : text);
  const day = (iso: string) => (isBrazilian ? iso.split('-').reverse().join('/') : iso);
  const line = (fields: readonly string[]) =>
    `${fields.map((field) => quoted(field, separator)).join(separator)}\r\n`;
  return {
    head: isBrazilian ? `\uFEFF${line(Object.values(csvHeaders))}` : line(Object.keys(csvHeaders)),
    write({ entry, local_time: time, offset_minutes: offset, counterparty }) {
      const source = sourceOf(entry);
      const [date = '', clock = ''] = time.split('T');
      return line([
        entry.id,
        isBrazilian ? `${day(date)} ${clock}` : `${time}${offsetOf(offset)}`,
        day(entry.available_on),
        name(entry.type),
        safeText(entry.reason && name(entry.reason)),
        amount(entry.amount, entry.currency),
        entry.currency,
        amount(entry.fee, entry.currency),
        amount(entry.net, entry.currency),
        name(source?.resource ?? ''),
        source?.id ?? '',
        entry.refund_id ?? '',
        safeText(entry.our_number),
        safeText(entry.cost_center),
        safeText(entry.contractor_reference),
        entry.provider ?? '',
        safeText(source?.resource === 'invoice' ? counterparty : null),
        safeText(source?.resource === 'payout' ? counterparty : null),
      ]);
    },
    tail: '',
  };
}

/** Minor units as a decimal number: 12345 with two digits is `123.45`. */
export function decimalOf(minor: number, digits: number): string {
  if (digits === 0) return String(minor);
  const text = String(Math.abs(minor)).padStart(digits + 1, '0');
  return `${minor < 0 ? '-' : ''}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** `-03:00`. */
function offsetOf(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

const safeText = (text: string | null): string => escapeFormula(text ?? '');

const quoted = (field: string, separator: string): string =>
  field.includes(separator) || /["\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
