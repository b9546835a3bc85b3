// Reads the lines of a file as items of a kind.
import { unescapeFormula } from '../../../../../shared/platform/formula-text.ts';
import type { Variant } from '../../records.ts';
import { usageError } from '../exit-codes.ts';
import { printable } from '../output.ts';
import { type Columns, findColumns } from './columns.ts';
import { type FileOptions, openTable, type Row, type Table } from './files/table.ts';
import { createItems } from './items.ts';
import type { Fault, Item, KindName } from './kind.ts';
import { decideNotations, type Notations } from './values/notation.ts';

export interface Line {
  /** Line number in the file where the record starts, from 1. */
  number: number;
  /** Byte offset in the file where the record ends. */
  endByte: number;
  item: Item;
  faults: Fault[];
}

export interface LinesOptions extends FileOptions {
  map: Readonly<Record<string, string>>;
  kind: KindName | undefined;
  /** Naming of records. */
  variant: Variant;
  locale: string | undefined;
  timeZone: string | undefined;
  /** Tells a person what was decided about the file. */
  note(text: string): void;
}

/** Bytes that are not UTF-8 were replaced with this character. */
const REPLACEMENT = '\uFFFD';
const NOT_UTF8 = 'is not valid UTF-8. Save the file as CSV UTF-8';
/** Rows above the header with a single value are a title. */
const MAX_TITLE_ROWS = 20;

/** Returns the columns of the file, and its lines without the header. */
export async function openLines(
  path: string,
  options: LinesOptions,
): Promise<{ columns: Columns; lines: AsyncGenerator<Line> }> {
  const table = await openTable(path, options);
  const header = await headerOf(path, table);
  const columns = findColumns(header.names, options.map, { wanted: options.kind, variant: options.variant });
  for (const text of table.notes) options.note(text);
  if (columns.recognized.length > 0)
    options.note(`Recognized columns: ${printable(columns.recognized.join(', '))}`);
  if (columns.ignored.length > 0) options.note(`Ignored columns: ${printable(columns.ignored.join(', '))}`);
  const notations = await notationsFor(table, header, columns, options);
  for (const text of notations.notes) options.note(text);
  return {
    columns,
    lines: linesOf(rowsBelow(table, header), { columns, header, notations, note: options.note }),
  };
}

interface Header {
  number: number;
  names: readonly string[];
}

/** The first row with several values; in a file without one, the first row. */
async function headerOf(path: string, table: Table): Promise<Header> {
  let first: Row | undefined;
  let read = 0;
  for await (const row of table.rows()) {
    if (row.fault !== undefined) throw usageError(`${path}: line ${row.number} ${row.fault}.`);
    first ??= row;
    if (row.cells.filter((cell) => cell !== '').length > 1) return headerFrom(path, row);
    read += 1;
    if (read > MAX_TITLE_ROWS) break;
  }
  if (!first) throw usageError(`${path} is empty.`);
  return headerFrom(path, first);
}

function headerFrom(path: string, { number, cells }: Row): Header {
  const names = cells.map((cell) =>
    typeof cell === 'string' ? clean(cell) : typeof cell === 'number' ? String(cell) : '',
  );
  if (names.some((name) => name.includes(REPLACEMENT))) throw usageError(`${path} ${NOT_UTF8}.`);
  return { number, names };
}

async function* rowsBelow(table: Table, { number }: Header): AsyncGenerator<Row> {
  for await (const row of table.rows()) {
    if (row.number > number)
      yield { ...row, cells: row.cells.map((cell) => (typeof cell === 'string' ? clean(cell) : cell)) };
  }
}

/**
 * A cell without the signs that spreadsheets need: spaces at its ends, `="00123"` for a text of digits, and the `'` before a text that
 * begins like a formula.
 */
export function clean(cell: string): string {
  const [, inner] = /^="([^"]*)"$/.exec(cell.trim()) ?? [];
  return unescapeFormula(inner ?? cell.trim());
}

const TYPES = ['number', 'day', 'time'] as const;

async function notationsFor(
  table: Table,
  header: Header,
  { used }: Columns,
  options: LinesOptions,
): Promise<Notations> {
  const typed = used.flatMap(({ index, type: given }) => {
    const type = TYPES.find((one) => one === given);
    return type === undefined ? [] : [{ index, type }];
  });
  const rows = typed.length > 0 ? rowsBelow(table, header) : noRows();
  const { locale, timeZone } = options;
  return decideNotations(rows, typed, { locale, timeZone, delimiter: table.delimiter, header: header.names });
}

async function* noRows(): AsyncGenerator<Row> {}

interface Reader {
  columns: Columns;
  header: Header;
  notations: Notations;
  note(text: string): void;
}

async function* linesOf(rows: AsyncGenerator<Row>, reader: Reader): AsyncGenerator<Line> {
  const { columns, header, notations, note } = reader;
  const itemOf = createItems(columns, notations, note);
  for await (const { number, endByte, cells, fault } of rows) {
    if (fault !== undefined) {
      yield { number, endByte, item: {}, faults: [{ field: '', message: fault }] };
      continue;
    }
    const { item, faults } = itemOf(cells);
    const size = cells.findLastIndex((cell) => cell !== '') + 1;
    const width = header.names.length;
    const surplus = size > width ? [{ field: '', message: `must have ${width} cells, but has ${size}` }] : [];
    const isGarbled = cells.some((cell) => typeof cell === 'string' && cell.includes(REPLACEMENT));
    const encoding = isGarbled ? [{ field: '', message: NOT_UTF8 }] : [];
    const invalid = columns.kind
      .faultsOf(item)
      .filter(({ field }) => faults.every((one) => one.field !== field));
    yield { number, endByte, item, faults: [...encoding, ...surplus, ...faults, ...invalid] };
  }
}
