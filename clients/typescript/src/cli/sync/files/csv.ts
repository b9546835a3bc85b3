// Reads a CSV of any size line by line. A line with a stray quotation mark does not affect the others.
import { CsvError, parse } from 'csv-parse';
import { parse as parseSync } from 'csv-parse/sync';
import { usageError } from '../../exit-codes.ts';
import { openText, type Text } from './encoding.ts';
import { guessDelimiter } from './separator.ts';
import type { FileOptions, Row, Table } from './table.ts';

/** A longer record means that a quotation mark is missing, or that the file is not a CSV. */
const MAX_RECORD_CHARACTERS = 1024 * 1024;
/** The first line of a CSV that Excel wrote for other regions. */
const SEPARATOR_LINE = /^"?sep=(.)"?\r?\n/i;
/** A row with a quotation mark within a cell has at most this many lines. */
const MAX_ROW_LINES = 50;

export async function openCsv(path: string, sample: Buffer, options: FileOptions): Promise<Table> {
  const text = await openText(path, sample, options.encoding);
  const start = await startOf(text);
  const [separatorLine = '', separator] = SEPARATOR_LINE.exec(start) ?? [];
  const delimiter = options.delimiter ?? separator ?? guessDelimiter(start);
  const from = {
    byte: text.markBytes + separatorLine.length,
    line: separatorLine === '' ? 1 : 2,
  };
  return {
    delimiter,
    rows: () => rowsOf(path, text, delimiter, from),
    notes: text.encoding === 'utf-8' ? [] : [`Encoding: ${text.encoding}`],
  };
}

/** The first characters of the text, up to the end of a line. */
async function startOf({ read, markBytes }: Text): Promise<string> {
  for await (const chunk of read(markBytes)) {
    const text = chunk.toString('utf8', 0, MAX_RECORD_CHARACTERS);
    const lastBreak = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'));
    return lastBreak < 0 ? text : text.slice(0, lastBreak + 1);
  }
  return '';
}

interface Position {
  byte: number;
  line: number;
}

/** The parser stops at an error. The row is then read by itself, and the parser starts again behind it. */
async function* rowsOf(path: string, text: Text, delimiter: string, from: Position): AsyncGenerator<Row> {
  let position: Position | undefined = from;
  while (position) {
    const faultAt: (Position & { code: string }) | undefined = yield* rowsUntilError(
      path,
      text,
      delimiter,
      position,
    );
    if (!faultAt) return;
    // Only a mark within a cell leaves the other cells as they are: their line breaks belong to the row.
    const maxLines = faultAt.code === 'INVALID_OPENING_QUOTE' ? MAX_ROW_LINES : 1;
    const { bytes, lines, row } = await rowAt(text, { byte: faultAt.byte, delimiter, maxLines });
    if (bytes === 0) return;
    position = { byte: faultAt.byte + bytes, line: faultAt.line + lines };
    if (row.fault !== undefined || row.cells.some((cell) => cell !== '')) {
      yield { number: faultAt.line, endByte: position.byte, ...row };
    }
  }
}

/** Yields rows, and returns the start of the record that cannot be parsed; undefined at the end of the file. */
async function* rowsUntilError(
  path: string,
  text: Text,
  delimiter: string,
  from: Position,
): AsyncGenerator<Row, (Position & { code: string }) | undefined> {
  const rows: Row[] = [];
  const end = { ...from };
  // The parser counts CRLF within quotes as two line breaks.
  let surplusBreaks = 0;
  const parser = parse({
    delimiter,
    max_record_size: MAX_RECORD_CHARACTERS,
    relax_column_count: true,
    skip_records_with_empty_values: true,
    on_record(cells: string[], { bytes, lines }) {
      surplusBreaks += countIn(cells, /\r\n/g);
      end.line = from.line + lines - surplusBreaks;
      end.byte = from.byte + bytes;
      const number = end.line - 1 - countIn(cells, /\r\n|\n|\r/g);
      rows.push({ number, endByte: end.byte, cells });
      return null;
    },
  });
  let failure: unknown;
  parser.on('error', (error) => {
    failure = error;
  });
  const feed = (chunk?: Buffer) =>
    new Promise<void>((resolve) => {
      if (chunk) parser.write(chunk, () => resolve());
      else parser.once('error', () => resolve()).end(() => resolve());
    });
  try {
    for await (const chunk of text.read(from.byte)) {
      if (chunk.length > 0) await feed(chunk);
      yield* rows.splice(0);
      if (failure) break;
    }
  } catch (error) {
    throw usageError(`Cannot read ${path}: ${(error as Error).message}`);
  }
  if (!failure) await feed();
  yield* rows.splice(0);
  if (!failure) return undefined;
  if (failure instanceof CsvError) return { ...end, code: failure.code };
  throw failure;
}

const countIn = (cells: string[], pattern: RegExp): number =>
  cells.reduce((sum, cell) => sum + (cell.match(pattern)?.length ?? 0), 0);

interface RowStart {
  byte: number;
  delimiter: string;
  maxLines: number;
}

/** The row that begins at this byte, with as few lines as close its quotation marks; its first line if none do. */
async function rowAt(text: Text, { byte, delimiter, maxLines }: RowStart) {
  let row = Buffer.alloc(0);
  let [first, lines] = [0, 0];
  for await (const line of linesAt(text, byte)) {
    row = Buffer.concat([row, line]);
    first ||= line.length;
    lines += 1;
    const cells = cellsOf(row.toString().replace(/(?:\r\n|\n|\r)$/, ''), delimiter);
    if (cells) return { bytes: row.length, lines, row: { cells } };
    if (lines === maxLines || row.length > MAX_RECORD_CHARACTERS) break;
  }
  const fault =
    'has a quotation mark that is not closed. Remove it, or write it twice within quotation marks';
  return { bytes: first, lines: 1, row: { cells: [], fault } };
}

/** The lines from this byte on, with their line breaks. */
async function* linesAt({ read }: Text, byte: number): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of read(byte)) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = endOfLine(rest); end > 0; end = endOfLine(rest)) {
      yield rest.subarray(0, end);
      rest = rest.subarray(end);
    }
    if (rest.length > MAX_RECORD_CHARACTERS) break;
  }
  if (rest.length > 0) yield rest;
}

const [LF, CR] = [0x0a, 0x0d];

/** Where the first line ends; 0 if the end is not certain: a CR can have its LF in the next chunk. */
function endOfLine(bytes: Buffer): number {
  const ends = [LF, CR].map((sign) => bytes.indexOf(sign)).filter((end) => end >= 0);
  const end = Math.min(...ends);
  if (ends.length === 0 || end === bytes.length - 1) return 0;
  return bytes[end] === CR && bytes[end + 1] === LF ? end + 2 : end + 1;
}

/** Quotation marks within a cell, as in `5" screen` and `="00123"`, are part of it. Undefined if one is not closed. */
function cellsOf(row: string, delimiter: string): string[] | undefined {
  try {
    const [cells = []] = parseSync(row, { delimiter, relax_quotes: true });
    return cells;
  } catch {
    return undefined;
  }
}
