// Converts cells to the values that the API expects.
import type { Cell } from '../files/table.ts';
import { type MemberType, parsed } from '../kind.ts';
import type { Notation } from './notation.ts';
import { type Amount, isShortened, parseNumber } from './number-text.ts';
import { dayIn, faultOfDay, instantIn, parseTime, type WrittenTime } from './time-text.ts';

export type Converted =
  | {
      value: unknown;
      /** Currency of the sign next to an amount. */
      currency?: string | undefined;
      /** `2 is 002`, if a code had lost its zeros. */
      padded?: string;
    }
  | { fault: string };

/** Spreadsheets keep this many digits of a number. */
const MAX_DIGITS = 15;
const CODE_DIGITS = 3;
/** Errors of formulas, as Excel writes them in English and Portuguese. */
const ERROR = /^#(?:N\/[AD]|REF!|NAME\?|NOME\?|VALUE!|VALOR!|DIV\/0!|NULL!|NULO!|N[UÚ]M!)$/i;
/** Older dates are mistyped. */
const FIRST_DAY = '1900-01-01';

export function convert(type: MemberType, cell: Cell, notation: Notation): Converted {
  if (typeof cell === 'object' && 'fault' in cell) return cell;
  if (typeof cell === 'string' && ERROR.test(cell.normalize('NFC')))
    return { fault: `contains the error ${cell}` };
  if (type === 'number') return toNumber(cell, notation);
  if (type === 'day' || type === 'time') return toTime(type, cell, notation);
  const text = textOf(cell);
  if (text === undefined)
    return {
      fault: `has more than ${MAX_DIGITS} digits, and spreadsheets round such numbers. Format the column as text`,
    };
  if (isShortened(text))
    return {
      fault: `was shortened by the spreadsheet (${text}). Format the column as text or as a number without decimals`,
    };
  if (type === 'code' && /^\d{1,2}$/.test(text)) {
    const value = text.padStart(CODE_DIGITS, '0');
    return { value, padded: `${text} is ${value}` };
  }
  if (type === 'list' && !text.startsWith('[')) return { value: listOf(text) };
  return { value: type === 'json' || type === 'list' ? parsed(text) : text };
}

/** The text of a cell; undefined for a number whose digits were lost. */
export function textOf(cell: Exclude<Cell, { fault: string }>): string | undefined {
  if (typeof cell === 'string') return cell;
  if (typeof cell === 'object' && 'number' in cell) {
    const plain = textOf(cell.number);
    return plain === undefined ? undefined : (cell.text ?? plain);
  }
  if (typeof cell === 'object') return cell.time === undefined ? cell.day : `${cell.day} ${cell.time}`;
  if (Math.abs(cell) >= 10 ** MAX_DIGITS) return undefined;
  return String(withoutRoundingError(cell));
}

/** As a spreadsheet shows it: 0.1 + 0.2 is 0.3. */
const withoutRoundingError = (value: number): number => Number(value.toPrecision(MAX_DIGITS));

const listOf = (text: string): string[] =>
  text
    .split(/[;,]/)
    .map((one) => one.trim())
    .filter((one) => one !== '');

function toNumber(cell: Exclude<Cell, { fault: string }>, { decimalSign }: Notation): Converted {
  if (typeof cell === 'number') return { value: withoutRoundingError(cell) };
  if (typeof cell === 'object' && 'number' in cell)
    return { value: withoutRoundingError(cell.number), currency: cell.currency };
  const example = decimalSign === '.' ? '1,250.50' : '1.250,50';
  const fault = { fault: `must be a number such as ${example}` };
  if (typeof cell !== 'string') return fault;
  const amount: Amount | undefined = decimalSign
    ? parseNumber(cell, decimalSign)
    : (parseNumber(cell, '.') ?? parseNumber(cell, ','));
  return amount ?? fault;
}

function toTime(type: 'day' | 'time', cell: Exclude<Cell, { fault: string }>, notation: Notation): Converted {
  const { dayOrder, timeZone } = notation;
  const example = dayOrder === 'mdy' ? '12/31/2026' : '31/12/2026';
  const written = typeof cell === 'string' ? parseText(cell, dayOrder) : localTime(cell);
  const dayFault = typeof cell === 'string' ? faultOfDay(cell) : undefined;
  if (written && written.day < FIRST_DAY) return { fault: 'is before the year 1900' };
  if (!written && dayFault !== undefined) return { fault: dayFault };
  if (!written)
    return type === 'day'
      ? { fault: `must be a date such as 2026-12-31 or ${example}` }
      : { fault: `must be a time such as 2026-12-31T14:30:00-03:00 or ${example} 14:30` };
  if (type === 'day') return { value: dayIn(written, timeZone) };
  const { day, time = '00:00:00', offset } = written;
  return { value: offset === undefined ? instantIn(written, timeZone) : `${day}T${time}${offset}` };
}

const parseText = (text: string, dayOrder: Notation['dayOrder']): WrittenTime | undefined =>
  dayOrder ? parseTime(text, dayOrder) : (parseTime(text, 'dmy') ?? parseTime(text, 'mdy'));

const localTime = (cell: Exclude<Cell, string | { fault: string }>): WrittenTime | undefined =>
  typeof cell === 'object' && 'day' in cell ? { ...cell, offset: undefined } : undefined;
