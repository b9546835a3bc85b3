// Reads a CSV of any size line by line.
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { CsvError, parse } from 'csv-parse';
import type { Variant } from '../../records.ts';
import { CliError, exitCodes, usageError } from '../exit-codes.ts';
import { type Columns, findColumns } from './columns.ts';
import type { Fault, Item, KindName } from './kind.ts';

export interface Line {
  /** Line number in the file where the record starts, from 1. */
  number: number;
  /** Byte offset in the file where the record ends. */
  endByte: number;
  item: Item;
  faults: Fault[];
}

export interface CsvOptions {
  map: Readonly<Record<string, string>>;
  kind: KindName | undefined;
  /** Naming of records. */
  variant: Variant;
  delimiter: string | undefined;
}

/** A longer record means that the file is not a CSV. */
const MAX_RECORD_CHARACTERS = 1024 * 1024;
const SAMPLE_BYTES = 64 * 1024;
/** Workbooks of Excel and LibreOffice are ZIP files. */
const ZIP_SIGNATURE = 'PK\u0003\u0004';
/** The parser replaces bytes that are not UTF-8 with this character. */
const REPLACEMENT = '\uFFFD';
const NOT_UTF8 = 'is not valid UTF-8. Save the file as CSV UTF-8';

/** Returns the columns of the file, and its lines without the header. */
export async function openCsv(
  path: string,
  options: CsvOptions,
): Promise<{ columns: Columns; lines: AsyncGenerator<Line> }> {
  const guessed = guessDelimiter(path);
  const delimiter = options.delimiter ?? guessed;
  const source = createReadStream(path);
  const parser = source.pipe(
    parse({
      bom: true,
      delimiter,
      info: true,
      max_record_size: MAX_RECORD_CHARACTERS,
      relax_column_count: true,
      skip_empty_lines: true,
    }),
  );
  source.on('error', (error) => parser.destroy(error));
  const records: AsyncIterator<CsvRecord> = parser[Symbol.asyncIterator]();
  const first = await nextOf(records, path);
  if (!first) throw usageError(`${path} is empty.`);
  if (isGarbled(first.record)) throw usageError(`${path} ${NOT_UTF8}.`);
  const columns = findColumns(first.record, options.map, {
    wanted: options.kind,
    variant: options.variant,
  });
  return { columns, lines: linesOf(records, columns, first, path) };
}

interface CsvRecord {
  record: string[];
  info: { lines: number; bytes: number };
}

async function* linesOf(
  records: AsyncIterator<CsvRecord>,
  columns: Columns,
  header: CsvRecord,
  path: string,
): AsyncGenerator<Line> {
  // The parser counts CRLF within quotes as two line breaks.
  let surplusBreaks = count(header.record, /\r\n/g);
  for (let next = await nextOf(records, path); next; next = await nextOf(records, path)) {
    const { record, info } = next;
    surplusBreaks += count(record, /\r\n/g);
    const number = info.lines - surplusBreaks - count(record, /\r\n|\n|\r/g);
    const { item, faults } = columns.itemOf(record);
    const surplus = record.length > header.record.length;
    const cells = { field: '', message: `must have ${header.record.length} cells, but has ${record.length}` };
    const encoding = isGarbled(record) ? [{ field: '', message: NOT_UTF8 }] : [];
    const found = [...encoding, ...(surplus ? [cells] : []), ...faults, ...columns.kind.faultsOf(item)];
    yield { number, endByte: info.bytes, item, faults: found };
  }
}

const isGarbled = (cells: string[]): boolean => cells.some((cell) => cell.includes(REPLACEMENT));

const count = (cells: string[], pattern: RegExp): number =>
  cells.reduce((sum, cell) => sum + (cell.match(pattern)?.length ?? 0), 0);

async function nextOf(records: AsyncIterator<CsvRecord>, path: string): Promise<CsvRecord | undefined> {
  try {
    const { done, value } = await records.next();
    return done ? undefined : value;
  } catch (error) {
    if (error instanceof CsvError) throw new CliError(`${path}: ${error.message}`, exitCodes.usage);
    throw usageError(`Cannot read ${path}: ${(error as Error).message}`);
  }
}

/** The separator that occurs most often in the header. Throws a usage error if the file is no text. */
function guessDelimiter(path: string): string {
  const buffer = Buffer.alloc(SAMPLE_BYTES);
  let length: number;
  try {
    const file = openSync(path, 'r');
    length = readSync(file, buffer);
    closeSync(file);
  } catch {
    throw usageError(`Cannot read ${path}.`);
  }
  const sample = buffer.toString('utf8', 0, length);
  if (sample.startsWith(ZIP_SIGNATURE))
    throw usageError(`${path} is a workbook or a ZIP file. Save the sheet as CSV UTF-8.`);
  const [header = ''] = sample.split(/\r?\n/, 1);
  const signs = [',', ';', '\t'];
  const cellsBy = (sign: string) => header.split(sign).length;
  return signs.reduce((best, sign) => (cellsBy(sign) > cellsBy(best) ? sign : best));
}
