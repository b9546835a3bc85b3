/** Lists: filters in RDQL, sorting, and pages. Only the first 10 000 rows can be listed. */
import { type Row, sorted } from '../records.ts';
import { refusal } from './records.ts';
import type { Listed, RdRow } from './state.ts';

/** `field:>="time"`, or `field:value`, where the value is a word, a text in quotes, or a list in parentheses. RDQL has more. */
const TERM =
  /(\w+):(?:(>=|<=)"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)"|"([^"]*)"|\(([^)]*)\)|([^\s()"<>=]+))(?:\s+|$)/g;

/** The conditions of a filter, all of which have to be met. */
function conditionsOf(filters: string, filter: string): ((row: Row) => boolean)[] {
  const terms = [...filter.matchAll(TERM)];
  const unknown = terms.find(([, field = '']) => !filters.split(' ').includes(field));
  if (unknown || terms.map(([term]) => term).join('') !== filter) throw refusal(400, `filter: ${filter}`);
  return terms.map(([, field = '', operator, time, text, list, word]) => (row) => {
    const sign = operator === '<=' ? -1 : 1;
    if (time !== undefined)
      return sign * (Date.parse(String(row[field])) - Date.parse(`${time.replace(' ', 'T')}Z`)) >= 0;
    const wanted = list?.split(',') ?? [text ?? word];
    const emails = Array.isArray(row.emails) ? row.emails.map(({ email }) => email) : [];
    return field === 'email' ? emails.includes(wanted[0]) : wanted.includes(String(row[field]));
  });
}

const [DEFAULT_SIZE, MAX_SIZE, MAX_ROWS] = [20, 100, 10_000];

/** A page. Without a sort, the order differs from call to call. The link to the next one leads to a path that does not exist. */
export function pageOf({ filters, sorts }: Listed, rows: readonly RdRow[], url: URL) {
  const query = Object.fromEntries(url.searchParams);
  const { filter = '', 'page[number]': number = '1', 'page[size]': size = DEFAULT_SIZE, ...rest } = query;
  const [[sort = '', direction = 'asc'] = [], other] = Object.entries(rest);
  const member = /^sort\[(\w+)\]$/.exec(sort)?.[1];
  const isSorted = member !== undefined && sorts.split(' ').includes(member);
  if (other || (sort && !isSorted) || !['asc', 'desc'].includes(direction))
    throw refusal(400, `sort: ${sort}`);
  const [page, most] = [Number(number), Number(size)];
  if (!(page >= 1) || !(most >= 1 && most <= MAX_SIZE)) throw refusal(400, 'page is not valid');
  const conditions = conditionsOf(filters, filter);
  const found = rows.filter((row) => conditions.every((isMet) => isMet(row)));
  const ordered = member === undefined ? found.sort(() => Math.random() - 0.5) : sorted(found, member);
  const reachable = (direction === 'desc' ? ordered.reverse() : ordered).slice(0, MAX_ROWS);
  const next = url.href.replace('/crm/v2/', '/api/v2/');
  return {
    data: reachable.slice((page - 1) * most, page * most),
    links: { next: page * most < reachable.length ? next : null },
  };
}
