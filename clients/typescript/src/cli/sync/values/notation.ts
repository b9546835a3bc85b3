// Decides in which notation the numbers and dates of a file are written. What remains ambiguous is an error that shows both readings.
import { usageError } from '../../exit-codes.ts';
import { printable } from '../../output.ts';
import type { Row } from '../files/table.ts';
import { type DecimalSign, parseNumber } from './number-text.ts';
import { type DayOrder, parseTime } from './time-text.ts';

/** Undefined: each cell of the column is unambiguous. */
export interface Notation {
  decimalSign: DecimalSign | undefined;
  dayOrder: DayOrder | undefined;
  timeZone: string;
}

export interface NotationOptions {
  /** `--locale`. */
  locale: string | undefined;
  /** `--time-zone`. */
  timeZone: string | undefined;
  /** The separator and the names of the columns hint at the locale. */
  delimiter: string | undefined;
  header: readonly string[];
}

export interface TypedColumn {
  index: number;
  type: 'number' | 'day' | 'time';
}

type Reading = DecimalSign | DayOrder;

interface Example {
  line: number;
  text: string;
  /** The value by reading. */
  values: Partial<Record<Reading, string>>;
}

/** The cells of a column that only one reading allows, and the first one that has two different values. */
interface Evidence {
  column: TypedColumn;
  only: Partial<Record<Reading, Example>>;
  ambiguous: Example | undefined;
}

const READINGS = { number: [',', '.'], day: ['dmy', 'mdy'], time: ['dmy', 'mdy'] } as const;
/** A locale that reads like this. */
const LOCALES: Record<Reading, string> = { ',': 'pt-BR', '.': 'en', dmy: 'pt-BR', mdy: 'en' };
const PORTUGUESE =
  /(?:^|\W)(?:nome|valor|data|etapa|empresa|telefone|celular|equipe|situa[cç][aã]o|origem|c[oó]digo|matr[ií]cula|cargo|funil|respons[aá]vel|neg[oó]cio|cliente|vendedor|moeda|pre[cç]o|t[ií]tulo|criad[oa]|fechamento)(?:\W|$)/i;

/** The member `data` of activities is no Portuguese name. */
const OWN_DATA = /^data(?:\.|$)/;

interface Hints {
  isBrazilian: boolean;
  isEnglish: boolean;
  /** A time without an offset. */
  timeWithoutOffset: Example | undefined;
}

export interface Notations {
  of(index: number): Notation;
  /** What was decided without being told. */
  notes: string[];
}

/** Reads all rows once. Throws a usage error with both readings for a column that stays ambiguous. */
export async function decideNotations(
  rows: AsyncIterable<Row>,
  columns: readonly TypedColumn[],
  options: NotationOptions,
): Promise<Notations> {
  const given = options.locale === undefined ? undefined : readingsOf(options.locale);
  const evidence = columns.map((column): Evidence => ({ column, only: {}, ambiguous: undefined }));
  const hints: Hints = {
    isBrazilian:
      options.delimiter === ';' || options.header.some((name) => PORTUGUESE.test(name.replace(OWN_DATA, ''))),
    isEnglish: false,
    timeWithoutOffset: undefined,
  };
  for await (const row of rows) for (const one of evidence) weigh(one, row, hints);
  const decided = evidence.map((one) => given ?? decide(one, evidence, hints, options.header));
  const timeZone = zoneFor(options.timeZone, hints.timeWithoutOffset);
  const byIndex = new Map(
    evidence.map(({ column }, position) => [column.index, { ...decided[position], timeZone }]),
  );
  return {
    of: (index) => ({ decimalSign: undefined, dayOrder: undefined, timeZone, ...byIndex.get(index) }),
    notes: [
      ...(given ? [] : evidence.flatMap((one, position) => noteOf(one, decided[position], options.header))),
      ...(hints.timeWithoutOffset && options.timeZone === undefined
        ? [`Times without an offset are read in ${timeZone}. Use --time-zone to change this.`]
        : []),
    ],
  };
}

function weigh(evidence: Evidence, row: Row, hints: Hints): void {
  const { column, only } = evidence;
  const cell = row.cells[column.index];
  if (typeof cell === 'object' && 'day' in cell && column.type === 'time')
    hints.timeWithoutOffset ??= { line: row.number, text: `${cell.day} ${cell.time ?? ''}`, values: {} };
  if (typeof cell !== 'string' || cell === '') return;
  const values = valuesOf(column.type, cell, hints);
  const found = { line: row.number, text: cell, values };
  if (column.type === 'time' && Object.values(values).some((value) => isWithoutOffset(value)))
    hints.timeWithoutOffset ??= found;
  const [first, second] = READINGS[column.type];
  const [one, other] = [values[first], values[second]];
  if (one === other) return;
  if (one !== undefined && other !== undefined) evidence.ambiguous ??= found;
  else only[one === undefined ? second : first] ??= found;
}

function valuesOf(type: TypedColumn['type'], text: string, hints: Hints): Example['values'] {
  if (type === 'number') {
    const [comma, dot] = [parseNumber(text, ','), parseNumber(text, '.')];
    const currency = comma?.currency ?? dot?.currency;
    hints.isBrazilian ||= currency === 'BRL';
    hints.isEnglish ||= currency === 'USD' || currency === 'GBP';
    return { ...(comma && { ',': String(comma.value) }), ...(dot && { '.': String(dot.value) }) };
  }
  const [dmy, mdy] = [parseTime(text, 'dmy'), parseTime(text, 'mdy')];
  const textOf = ({ day, time, offset }: NonNullable<typeof dmy>) =>
    `${day}${time === undefined ? '' : ` ${time}${offset ?? ''}`}`;
  return { ...(dmy && { dmy: textOf(dmy) }), ...(mdy && { mdy: textOf(mdy) }) };
}

const isWithoutOffset = (value: string): boolean => !/[\d](?:Z|[+-]\d{2}:\d{2})$/.test(value);

type Decided = Partial<Pick<Notation, 'decimalSign' | 'dayOrder'>>;

function decide(one: Evidence, all: readonly Evidence[], hints: Hints, header: readonly string[]): Decided {
  const own = soleReading([one]);
  const isMixed = READINGS[one.column.type].every((reading) => one.only[reading]);
  const reading = isMixed ? undefined : (own ?? fromFile(one, all, hints));
  if (reading === undefined && one.ambiguous) throw usageError(bothReadings(one, one.ambiguous, header));
  if (reading === ',' || reading === '.') return { decimalSign: reading };
  return reading === undefined ? {} : { dayOrder: reading };
}

/** The reading that all unambiguous cells of these columns have; undefined if there are none or two. */
function soleReading(evidence: readonly Evidence[]): Reading | undefined {
  const found = new Set(evidence.flatMap(({ only }) => Object.keys(only) as Reading[]));
  return found.size === 1 ? [...found][0] : undefined;
}

function fromFile({ column }: Evidence, all: readonly Evidence[], hints: Hints): Reading | undefined {
  const isNumber = column.type === 'number';
  const numbers = soleReading(all.filter((one) => one.column.type === 'number'));
  const days = soleReading(all.filter((one) => one.column.type !== 'number'));
  const isBrazilian = hints.isBrazilian && !hints.isEnglish;
  if (isNumber)
    return numbers ?? (isBrazilian ? ',' : hints.isEnglish && !hints.isBrazilian ? '.' : undefined);
  // Regions with a decimal comma write the day before the month.
  return days ?? (isBrazilian || numbers === ',' ? 'dmy' : undefined);
}

function bothReadings(
  { column, only }: Evidence,
  { line, text, values }: Example,
  header: readonly string[],
): string {
  const [first, second] = READINGS[column.type];
  const said = (reading: Reading) => `${values[reading]} with --locale ${LOCALES[reading]}`;
  const mixed = [only[first], only[second]].flatMap((one) =>
    one ? [`${printable(one.text)} (line ${one.line})`] : [],
  );
  const name = printable(header[column.index] ?? '');
  return [
    `Column ${name}: ${printable(text)} (line ${line}) is ${said(first)} and ${said(second)}.`,
    ...(mixed.length === 2 ? [`The column has both notations: ${mixed.join(' and ')}.`] : []),
    'Pass one of them.',
  ].join(' ');
}

function noteOf(
  { column, only, ambiguous }: Evidence,
  { decimalSign, dayOrder }: Decided = {},
  header: readonly string[],
): string[] {
  const reading = decimalSign ?? dayOrder;
  // Another cell of the column proves the reading.
  if (!ambiguous || reading === undefined || only[reading]) return [];
  const other = reading === ',' || reading === 'dmy' ? 'en' : 'pt-BR';
  return [
    `${printable(header[column.index] ?? '')}: ${printable(ambiguous.text)} is read as ${ambiguous.values[reading]}. Use --locale ${other} if that is wrong.`,
  ];
}

/** Throws a usage error for an unknown locale. */
function readingsOf(locale: string): { decimalSign: DecimalSign; dayOrder: DayOrder } {
  try {
    const parts = new Intl.NumberFormat(locale).formatToParts(1.5);
    const decimalSign = parts.find(({ type }) => type === 'decimal')?.value;
    const order = new Intl.DateTimeFormat(locale).formatToParts(0).map(({ type }) => type);
    const dayOrder =
      order.indexOf('month') < order.indexOf('day') && order.indexOf('year') > 0 ? 'mdy' : 'dmy';
    if (decimalSign === ',' || decimalSign === '.') return { decimalSign, dayOrder };
  } catch {}
  throw usageError(`--locale ${printable(locale)}: use a locale such as pt-BR, en or en-GB.`);
}

function zoneFor(given: string | undefined, needing: Example | undefined): string {
  const zone = given ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
  } catch {
    throw usageError(`--time-zone ${printable(zone)}: use a name such as America/Sao_Paulo or UTC.`);
  }
  // A server's own zone says nothing about the file.
  if (given === undefined && needing && ['UTC', 'Etc/UTC', 'GMT'].includes(zone))
    throw usageError(
      `${printable(needing.text)} (line ${needing.line}) has no offset. Pass the time zone of the file, such as --time-zone America/Sao_Paulo or --time-zone UTC.`,
    );
  return zone;
}
