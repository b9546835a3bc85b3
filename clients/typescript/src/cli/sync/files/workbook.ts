// Reads a sheet of a workbook of Excel, Google Sheets or LibreOffice (.xlsx, .xls, .ods).
import { readFileSync } from 'node:fs';
import type { CellObject, WorkSheet } from '@e965/xlsx';
import { usageError } from '../../exit-codes.ts';
import { printable } from '../../output.ts';
import { clockIn, currencyIn, isMask } from './number-format.ts';
import type { Cell, Row, Table } from './table.ts';

type Library = typeof import('./xlsx.ts');

/** Opens the sheet with this name, by default the first visible one with a value. */
export async function openWorkbook(path: string, wanted: string | undefined): Promise<Table> {
  const content = readFileSync(path);
  const library = await import('./xlsx.ts');
  const { SheetNames: names, Sheets: sheets, Workbook: properties } = readWorkbook(library, path, content);
  const isHidden = (name: string) => (properties?.Sheets?.[names.indexOf(name)]?.Hidden ?? 0) !== 0;
  const used = names.filter((name) => !isHidden(name) && hasValue(sheets[name]));
  const name = wanted ?? used[0];
  const sheet = name === undefined ? undefined : sheets[name];
  const list = names.map(printable).join(', ');
  if (name !== undefined && !sheet)
    throw usageError(`${path} has no sheet ${printable(name)}. Its sheets are: ${list}.`);
  if (name === undefined || !sheet || !hasValue(sheet))
    throw usageError(`${path} has no sheet with a value.`);
  fillMerged(sheet);
  const others = used.filter((one) => one !== name).map(printable);
  const traits = { library, is1904: properties?.WBProps?.date1904 === true, bytes: content.length };
  return {
    delimiter: undefined,
    rows: () => rowsOf(sheet, traits),
    notes:
      others.length > 0 && wanted === undefined
        ? [`Reading the sheet ${printable(name)}. Use --sheet for another one: ${others.join(', ')}.`]
        : [],
  };
}

function readWorkbook({ read }: Library, path: string, content: Buffer) {
  try {
    return read(content, {
      type: 'buffer',
      dense: true,
      cellNF: true,
      cellFormula: true,
      cellHTML: false,
      sheetStubs: true,
    });
  } catch (error) {
    const { message } = error as Error;
    const isLocked = /password/i.test(message);
    throw usageError(
      isLocked
        ? `${path} is protected by a password. Save a copy without one.`
        : `${path} is not a workbook that can be read (${printable(message)}). Save it as .xlsx or as CSV.`,
    );
  }
}

/** Cells by row, then by column. */
const cellsOf = (sheet: WorkSheet | undefined): (CellObject[] | undefined)[] => sheet?.['!data'] ?? [];

const hasValue = (sheet: WorkSheet | undefined): boolean =>
  cellsOf(sheet).some((row) => row?.some((cell) => cell && cell.t !== 'z'));

/** A cell that is merged downwards has its value in its first row only. Rows without a value of their own stay empty. */
function fillMerged(sheet: WorkSheet): void {
  const rows = cellsOf(sheet);
  const filled = (sheet['!merges'] ?? []).flatMap(({ s: start, e: end }) =>
    rows
      .slice(start.r + 1, end.r + 1)
      .filter((row) => row?.some((cell) => cell && cell.t !== 'z'))
      .map((row) => ({ row, column: start.c, cell: rows[start.r]?.[start.c] })),
  );
  for (const { row, column, cell } of filled) if (row && cell) row[column] = cell;
}

interface SheetTraits {
  library: Library;
  is1904: boolean;
  bytes: number;
}

async function* rowsOf(sheet: WorkSheet, traits: SheetTraits): AsyncGenerator<Row> {
  const rows = cellsOf(sheet);
  for (const [index, row] of rows.entries()) {
    const cells = Array.from(row ?? [], (cell) => cellOf(cell, traits));
    if (cells.every((cell) => cell === '')) continue;
    yield { number: index + 1, endByte: Math.round((traits.bytes * (index + 1)) / rows.length), cells };
  }
}

function cellOf(cell: CellObject | undefined, { library: { SSF }, is1904 }: SheetTraits): Cell {
  if (!cell) return '';
  const { t: type, v: value, w: shown, z: format, f: formula } = cell;
  // Programs other than spreadsheets write formulas without their values.
  if (formula !== undefined && (type === 'z' || value === undefined))
    return { fault: 'is a formula without its value. Open the file in a spreadsheet and save it' };
  if (type === 'e') return { fault: `contains the error ${shown ?? value}` };
  if (type === 'z' || value === undefined) return '';
  if (type === 'd' && value instanceof Date) return timeOf(value.toISOString());
  if (type !== 'n' || typeof value !== 'number') return String(type === 'b' ? (shown ?? value) : value);
  const code = String(format ?? '');
  if (SSF.is_date(code))
    return clockIn(code, value) ?? dateOf(SSF.parse_date_code(value, { date1904: is1904 }));
  // Files of LibreOffice have no codes of such formats.
  const [text, currency] = [isMask(code) ? shown : undefined, currencyIn(code) ?? currencyIn(shown ?? '')];
  return text === undefined && currency === undefined ? value : { number: value, text, currency };
}

interface DateParts {
  y: number;
  m: number;
  d: number;
  H: number;
  M: number;
  S: number;
}

function dateOf(date: DateParts | null): Cell {
  if (!date) return { fault: 'is not a date that can be read' };
  const two = (value: number) => String(value).padStart(2, '0');
  const time = [date.H, date.M, date.S].map(two).join(':');
  return timeOf(`${String(date.y).padStart(4, '0')}-${two(date.m)}-${two(date.d)}T${time}`);
}

const timeOf = (iso: string): Cell => {
  const time = iso.slice(11, 19);
  return { day: iso.slice(0, 10), time: time === '00:00:00' ? undefined : time };
};
