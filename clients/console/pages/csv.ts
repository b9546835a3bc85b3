// CSV files for spreadsheets.
import { minorDigitsOf } from '../../../shared/payments/formats/currencies.ts';
import { escapeFormula } from '../../../shared/platform/formula-text.ts';
import { asNumber, asText, type Json, memberOf } from '../api/json.ts';
import type { Directory } from '../api/workspace.ts';
import { fileDate, fileTime } from '../kit/format-time.ts';
import { language, t } from '../kit/language.ts';
import { currencyOf, showOf, textOf } from '../kit/value.tsx';
import { labelOf } from '../resources/labels.ts';
import type { Column } from '../resources/resource.ts';

export const MAX_CSV_ROWS = 10_000;

/** A CSV field, quoted and escaped for spreadsheets in the language of the page. */
export function csvField(text: string, separator: string, isNumber = false): string {
  const safe = isNumber ? text : escapeFormula(text);
  return safe.includes(separator) || /["\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const separatorOf = () => (language() === 'en' ? ',' : ';');

/** The first line, after a byte order mark. */
export const csvHead = (columns: readonly Column[]): string =>
  `\ufeff${lineOf(columns.map((column) => [labelOf(column), false]))}`;

export const csvLine = (columns: readonly Column[], row: Json, directory?: Directory): string =>
  lineOf(
    columns.map((column) => {
      const value = memberOf(row, column.name);
      const amount = asNumber(value);
      const show = showOf(column, value);
      if (!column.text && (show === 'time' || show === 'date')) return [timeText(show, asText(value)), false];
      if (amount === undefined || !['number', 'decimal', 'money', 'value', 'http'].includes(show))
        return [textOf(column, row, directory), false];
      // Without thousands separators and currency, so that spreadsheets can add them up.
      const digits = minorDigitsOf(currencyOf(row));
      const text =
        show === 'money'
          ? (amount / 10 ** digits).toFixed(digits)
          : show === 'value'
            ? withDigits(amount, digits)
            : String(amount);
      return [language() === 'en' ? text : text.replace('.', ','), true];
    }),
  );

/** With at least this many decimals, and all that it has. */
function withDigits(amount: number, digits: number): string {
  const fixed = amount.toFixed(digits);
  return Number(fixed) === amount ? fixed : String(amount);
}

function timeText(show: 'time' | 'date', text: string): string {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return text;
  return show === 'time' ? fileTime(new Date(ms)) : fileDate(text.slice(0, 10));
}

/** The last line of a truncated file. */
export const csvCut = (): string =>
  lineOf([[t('Only the first 10,000 rows. Use a narrower filter.'), false]]);

const lineOf = (fields: [text: string, isNumber: boolean][]): string =>
  `${fields.map(([text, isNumber]) => csvField(text, separatorOf(), isNumber)).join(separatorOf())}\r\n`;
