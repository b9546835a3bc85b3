// Reads the lines of a file as items of a kind.
import { unescapeFormula } from '../../../../../shared/platform/formula-text.ts';
import type { Variant } from '../../records.ts';
import { usageError } from '../exit-codes.ts';
import { printable } from '../output.ts';
import { fold } from './aliases.ts';
import { type Columns, columnName, findColumns } from './columns.ts';
import { type Cell, type FileOptions, openTable, type Row, type Table } from './files/table.ts';
import { createItems } from './items.ts';
import { withJoined } from './joined.ts';
import type { Fault, Item, KindName } from './kind.ts';
import { textOf } from './values/convert.ts';
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

const CLOSING = 'imported deals are open. Close them in the console or with POST /v1/deals/{id}/close';
const isStatus = (name: string): boolean => /(?:^| )(?:status|situacao)$/.test(fold(name));

/** Bytes that are not UTF-8 were replaced with this character. */
const REPLACEMENT = '\uFFFD';
const NOT_UTF8 = 'is not valid UTF-8. Save the file as CSV UTF-8';
/** Rows above the header with a single value are a title. */
const MAX_TITLE_ROWS = 20;
/** What the last row has instead of an id if it adds up the others. */
const TOTALS = new Set([
  'total',
  'totais',
  'totals',
  'total geral',
  'grand total',
  'soma',
  'sum',
  'subtotal',
]);
/** Messages show this much of a cell. */
const MAX_SHOWN = 40;

/** Returns the columns of the file, and its lines without the header. */
export async function openLines(
  path: string,
  options: LinesOptions,
): Promise<{ columns: Columns; lines: AsyncGenerator<Line> }> {
  const file = await openTable(path, options);
  for (const text of file.notes) options.note(text);
  const header = await headerOf(path, file);
  const columns = findColumns(header.names, options.map, { wanted: options.kind, variant: options.variant });
  if (columns.recognized.length > 0)
    options.note(`Recognized columns: ${printable(columns.recognized.join(', '))}`);
  if (columns.ignored.length > 0) options.note(`Ignored columns: ${printable(columns.ignored.join(', '))}`);
  for (const name of columns.kind.name === 'deals' ? columns.ignored.filter(isStatus) : [])
    options.note(`${printable(name)} is not sent: ${CLOSING}.`);
  const table = withJoined(file, columns);
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
    columnName(typeof cell === 'object' && 'fault' in cell ? '' : clean(textOf(cell) ?? '')),
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
  const { columns, notations, note } = reader;
  const itemOf = createItems(columns, notations, note);
  for await (const { row, isLast } of withLast(rows)) {
    const { number, endByte, cells, fault } = row;
    if (fault !== undefined) {
      yield { number, endByte, item: {}, faults: [{ field: '', message: fault }] };
      continue;
    }
    const { item, faults } = itemOf(cells);
    const found = [...faultsOfRow(cells, reader), ...faults];
    if (isLast && TOTALS.has(fold(String(item.external_id))))
      found.push({ field: 'external_id', message: 'is a total, not a record' });
    const invalid = columns.kind
      .faultsOf(item)
      .filter(({ field }) => faults.every((one) => one.field !== field));
    yield { number, endByte, item, faults: [...found, ...invalid].map(withValue(cells, columns)) };
  }
}

async function* withLast(rows: AsyncGenerator<Row>): AsyncGenerator<{ row: Row; isLast: boolean }> {
  let held: Row | undefined;
  for await (const row of rows) {
    if (held) yield { row: held, isLast: false };
    held = row;
  }
  if (held) yield { row: held, isLast: true };
}

function faultsOfRow(cells: readonly Cell[], { header }: Reader): Fault[] {
  const size = cells.findLastIndex((cell) => cell !== '') + 1;
  const width = header.names.length;
  const isGarbled = cells.some((cell) => typeof cell === 'string' && cell.includes(REPLACEMENT));
  return [
    ...(isGarbled ? [{ field: '', message: NOT_UTF8 }] : []),
    ...(size > width ? [{ field: '', message: `must have ${width} cells, but has ${size}` }] : []),
  ];
}

/** Adds the start of the cell to a fault. */
const withValue =
  (cells: readonly Cell[], { used }: Columns) =>
  (fault: Fault): Fault => {
    const column = used.find(({ member }) => member === fault.field);
    const cell = column && cells[column.index];
    const isShown = cell !== undefined && !(typeof cell === 'object' && 'fault' in cell);
    const text = (isShown && textOf(cell)) || '';
    return text === '' ? fault : { ...fault, value: shortened(text) };
  };

const shortened = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
