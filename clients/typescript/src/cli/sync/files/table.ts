// A table of a file: CSV in any common encoding, or a sheet of a workbook.
import { closeSync, openSync, readSync } from 'node:fs';
import { usageError } from '../../exit-codes.ts';

/** A date or time of a workbook, as the sheet shows it: without a time zone. */
export interface LocalTime {
  /** `2026-12-31`. */
  day: string;
  /** `14:30:00`; undefined for a day. */
  time: string | undefined;
}

/** A number of a workbook whose number format says more. */
export interface FormattedNumber {
  number: number;
  /** As the sheet shows it, for a format of codes. */
  text: string | undefined;
  currency: string | undefined;
}

/** A cell that has no value, with the reason. */
export interface BrokenCell {
  fault: string;
}

/** CSV cells are texts. Cells of workbooks keep their type. */
export type Cell = string | number | LocalTime | FormattedNumber | BrokenCell;

export interface Row {
  /** Line or row number in the file, from 1. */
  number: number;
  /** Byte offset in the file where the row ends; for workbooks an estimate. */
  endByte: number;
  cells: readonly Cell[];
  /** Why the line cannot be read. */
  fault?: string;
}

export interface Table {
  /** Reads the rows that have a value, from the start of the file. */
  rows(): AsyncGenerator<Row>;
  /** Separator of a CSV. */
  delimiter: string | undefined;
  /** What was decided about the file that a person should know. */
  notes: readonly string[];
}

export interface FileOptions {
  delimiter: string | undefined;
  encoding: string | undefined;
  sheet: string | undefined;
}

const SAMPLE_BYTES = 64 * 1024;

/** Opens a file. Throws a usage error if it is neither CSV nor a workbook. */
export async function openTable(path: string, options: FileOptions): Promise<Table> {
  const sample = sampleOf(path);
  if (isWorkbook(sample)) {
    if (options.delimiter !== undefined || options.encoding !== undefined)
      throw usageError('--delimiter and --encoding work only with CSV files.');
    const { openWorkbook } = await import('./workbook.ts');
    return openWorkbook(path, options.sheet);
  }
  if (options.sheet !== undefined) throw usageError('--sheet works only with workbooks.');
  const { openCsv } = await import('./csv.ts');
  return openCsv(path, sample, options);
}

function sampleOf(path: string): Buffer {
  const buffer = Buffer.alloc(SAMPLE_BYTES);
  try {
    const file = openSync(path, 'r');
    const length = readSync(file, buffer);
    closeSync(file);
    return buffer.subarray(0, length);
  } catch {
    throw usageError(`Cannot read ${path}.`);
  }
}

/** .xlsx and .ods files are ZIP files; .xls files are compound files. */
const isWorkbook = (sample: Buffer): boolean =>
  ['504b0304', 'd0cf11e0a1b11ae1'].some((signature) => sample.toString('hex').startsWith(signature));
