/** Lists: filters in RDQL, sorting, and pages. Only the first 10 000 rows can be listed. */
import type { VendorError } from '../../fakes/vendor-error.ts';
import { compareValues, type Row } from '../shared.ts';
import { refusal } from './records.ts';
import { type Kind, LISTS, type RdRow } from './state.ts';

const malformed = (detail: string): VendorError => refusal(400, detail);

/** `-field:>=value`, where the value is a word, a text in quotes, or a list in parentheses. */
const TERM = /^(-)?(@?\w+):(>=|<=|>|<|~)?("[^"]*"|\([^)]*\)|[^\s()"]+)(?:\s+(?:and\s+)?|$)/;
const DATE_TIME = /^"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const bare = (text: string): string => text.trim().replace(/^"(.*)"$/, '$1');

/** All values of a member of a record, as texts. */
function valuesOf(row: Row, field: string): string[] {
  const lists: Record<string, [string, string]> = { email: ['emails', 'email'], phone: ['phones', 'phone'] };
  const [list, member] = lists[field] ?? [];
  const custom = (row.custom_fields ?? {}) as Row;
  const found = field.startsWith('@') ? custom[field.slice(1)] : list ? row[list] : row[field];
  const values = [found ?? []].flat();
  return values.map((value) => String(member ? (value as Row)[member] : value));
}

/** The conditions of a filter. `or` and groups exist at RD, but not here. */
function conditionsOf(kind: Kind, filter: string): ((row: Row) => boolean)[] {
  const names = LISTS[kind].filters.split(/\s+/);
  const conditions: ((row: Row) => boolean)[] = [];
  for (let rest = filter.trim(); rest !== ''; ) {
    const [all = '', not, field = '', operator, given = ''] = TERM.exec(rest) ?? [];
    if (all === '') throw malformed(`filter is not valid at: ${rest}`);
    rest = rest.slice(all.length);
    if (!names.includes(field) && !(field.startsWith('@') && names.includes('name')))
      throw malformed(`filter: ${field} is not available`);
    const isTime = /_at$|^due_date$/.test(field);
    if (isTime && !DATE_TIME.test(given) && !DATE.test(given))
      throw malformed(`filter: ${field} needs a DateTime`);
    const list = given.startsWith('(') ? given.slice(1, -1).split(',').map(bare) : [bare(given)];
    const [wanted = ''] = list;
    const order = (value: string): number =>
      isTime
        ? Date.parse(value) -
          Date.parse(`${wanted.replace(' ', 'T')}${DATE.test(wanted) ? 'T00:00:00' : ''}Z`)
        : compareValues(
            Number.isNaN(Number(value)) ? value : Number(value),
            Number.isNaN(Number(wanted)) ? wanted : Number(wanted),
          );
    const tests: Record<string, (value: string) => boolean> = {
      '>=': (value) => order(value) >= 0,
      '<=': (value) => order(value) <= 0,
      '>': (value) => order(value) > 0,
      '<': (value) => order(value) < 0,
      '~': (value) => value.toLowerCase().includes(wanted.toLowerCase()),
      '': (value) => list.includes(value),
    };
    const test = tests[operator ?? ''];
    conditions.push((row) => valuesOf(row, field).some((value) => test?.(value)) !== (not === '-'));
  }
  return conditions;
}

const DEFAULT_SIZE = 20;
const MAX_SIZE = 100;
const MAX_ROWS = 10_000;

/**
 * A page. Without a sort, the order differs from call to call. The links point to a path that does not exist.
 *
 * @param url the list's path, with its query
 */
export function pageOf(kind: Kind, rows: readonly RdRow[], url: URL, shown: (row: RdRow) => Row) {
  const query = Object.fromEntries(url.searchParams);
  const {
    filter = '',
    'page[number]': number = '1',
    'page[size]': size = String(DEFAULT_SIZE),
    ...rest
  } = query;
  const [sorting, ...others] = Object.entries(rest);
  const [, member = ''] = /^sort\[(\w+)\]$/.exec(sorting?.[0] ?? '') ?? [];
  if (others.length > 0 || (sorting && (member === '' || !LISTS[kind].sorts.split(' ').includes(member))))
    throw malformed(`${(others[0] ?? sorting)?.[0]} is not available`);
  if (sorting && !['asc', 'desc'].includes(sorting[1])) throw malformed('sort must be asc or desc');
  const [page, most] = [Number(number), Number(size)];
  if (!(Number.isInteger(page) && page >= 1)) throw malformed('page[number] is not valid');
  if (!(Number.isInteger(most) && most >= 1 && most <= MAX_SIZE)) throw malformed('page[size] is not valid');
  const conditions = conditionsOf(kind, filter);
  const found = rows.filter((row) => conditions.every((isMet) => isMet(row)));
  const sign = sorting?.[1] === 'desc' ? -1 : 1;
  if (sorting)
    found.sort((a, b) => sign * (compareValues(a[member], b[member]) || compareValues(a.id, b.id)));
  else
    for (let index = found.length - 1; index > 0; index--)
      swap(found, index, Math.floor(Math.random() * (index + 1)));
  const reachable = found.slice(0, MAX_ROWS);
  const last = Math.max(Math.ceil(reachable.length / most), 1);
  const link = (to: number): string => {
    const other = new URL(url.pathname.replace('/crm/v2/', '/api/v2/') + url.search, url);
    other.searchParams.set('page[number]', String(to));
    return other.href;
  };
  return {
    data: reachable.slice((page - 1) * most, page * most).map(shown),
    links: {
      ...{ first: link(1), prev: page > 1 ? link(page - 1) : null, self: link(page) },
      ...{ next: page < last ? link(page + 1) : null, last: link(last) },
    },
  };
}

function swap(rows: RdRow[], index: number, other: number): void {
  const [one, two] = [rows[index], rows[other]];
  if (one && two) [rows[index], rows[other]] = [two, one];
}
