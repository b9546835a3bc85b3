// Pages of a list that lose no record while records change: each page starts at the time of the last record, not at a page number.
import { z } from 'zod';
import type { ListOptions, RecordKind } from '../crm.ts';
import { CrmUnreachable, CrmUnreadable } from '../errors.ts';
import type { RdClient } from './client.ts';
import { LISTS, MAX_LISTED, PAGE_SIZE, rdqlTime, SORTS } from './facts.ts';
import type { ListedRow } from './schemas.ts';

interface Row<T> {
  record: T;
  /** The second by which it is sorted, the record and its state. */
  key: string;
  /** Second by which it is sorted; null if it has no such time. */
  second: string | null;
}

const stateSchema = z.object({
  sortedBy: z.enum(SORTS),
  /** Second at which the page starts; null for the start of the list. */
  from: z.string().nullable(),
  /** More than 1 only if more records than a page have the same second. */
  page: z.int().positive(),
  /** Keys of the listed records of this second and later ones, which the page may contain again. */
  seen: z.array(z.string()),
  /** Whether pages of this second had new records. Then they are read once more: records that left the second moved others forward. */
  hasFound: z.boolean(),
});
type State = z.infer<typeof stateSchema>;

/** Keeps cursors below 100 000 characters. */
const MAX_SEEN = 2200;

const secondOf = (iso: string): string => `${iso.slice(0, 19)}.000Z`;

/** A second as text that sorts like it. */
const timeKey = (second: string | null): string =>
  second === null ? '' : (Date.parse(second) / 1000).toString(36).padStart(7, '0');

interface List<T> {
  kind: RecordKind;
  schema: z.ZodType<T>;
  /** RDQL, which RD may not know: records that do not meet them can be listed. */
  conditions: readonly string[];
}

/** Reads a page. */
export async function readListPage<T extends ListedRow>(
  client: RdClient,
  list: List<T>,
  { since: given, cursor }: ListOptions,
) {
  const since = given === null ? null : new Date(given).toISOString();
  const { sortedBy, orSortedBy } = LISTS[list.kind];
  const state = cursor === null ? startOf(sortedBy, since) : stateSchema.parse(JSON.parse(cursor));
  const read = (from: State) =>
    readPageOf(client, from.sortedBy === sortedBy ? list : { ...list, conditions: [] }, since, from);
  if (orSortedBy === undefined || state.sortedBy === orSortedBy) return await read(state);
  const page = await read(state).catch((error: unknown) => {
    if (!(error instanceof CrmUnreadable)) throw error;
    return undefined;
  });
  return page?.isSorted ? page : await read(startOf(orSortedBy, since));
}

const startOf = (sortedBy: State['sortedBy'], since: string | null): State => ({
  // A list that is not sorted by the time of changes is only filtered by it.
  ...{ sortedBy, from: since === null || sortedBy === 'created_at' ? null : secondOf(since) },
  ...{ page: 1, seen: [], hasFound: false },
});

async function readPageOf<T extends ListedRow>(
  client: RdClient,
  { kind, schema, conditions }: List<T>,
  since: string | null,
  state: State,
) {
  const { path } = LISTS[kind];
  const { sortedBy, from } = state;
  if (state.page * PAGE_SIZE > MAX_LISTED)
    throw new CrmUnreachable(`RD Station CRM GET ${path}: more than ${MAX_LISTED} records of one second`);
  const filter = [...conditions];
  if (since !== null && sortedBy === 'created_at') filter.push(`updated_at:>=${rdqlTime(since)}`);
  if (from !== null) filter.push(`${sortedBy}:>=${rdqlTime(from)}`);
  const query = {
    filter: filter.join(' ') || null,
    [`sort[${sortedBy}]`]: 'asc',
    'page[number]': state.page,
  };
  const page = await client.readPage(schema, path, query);
  const seen = new Set(state.seen);
  const all = page.records.map((record): Row<T> => {
    const at = record[sortedBy];
    const second = at === null ? null : secondOf(at);
    const key = `${timeKey(second)}:${record.id}:${Date.parse(record.updated_at).toString(36)}`;
    return { record, key, second };
  });
  const rows = all.filter(({ record, key, second }) => {
    const isOld = since !== null && record.updated_at < since && (record[sortedBy] ?? '') < since;
    // Listed before, if RD ignores the filter.
    const isEarlier = from !== null && (second ?? '') < from;
    return !isOld && !isEarlier && !seen.has(key);
  });
  return {
    rows: rows.map(({ record }) => record),
    isSorted: rows.every(({ second }, place) => (rows[place - 1]?.second ?? '') <= (second ?? '')),
    /** The cursor after the first `count` rows; null after the last record. */
    nextAfter(count: number): string | null {
      const last = rows[count - 1];
      const isWhole = count === rows.length || last === undefined;
      const read = isWhole ? all : all.slice(0, all.indexOf(last) + 1);
      const next = advance(state, read, rows.slice(0, count), { isWhole, hasMore: page.hasMore });
      return next === null ? null : JSON.stringify(next);
    },
  };
}

/** `read` are the records of the page up to the last of `listed`, which are the new ones. */
function advance(
  state: State,
  read: readonly Row<unknown>[],
  listed: readonly Row<unknown>[],
  { isWhole, hasMore }: { isWhole: boolean; hasMore: boolean },
): State | null {
  const last = read.at(-1)?.second ?? null;
  const hasLeft = last !== null && (state.from === null || last > state.from);
  const seen = [...state.seen, ...listed.map(({ key }) => key)].slice(-MAX_SEEN);
  const hasFound = state.hasFound || listed.some(({ second }) => second === null || second === state.from);
  if (!hasLeft && (hasMore || !isWhole))
    return { ...state, page: state.page + Number(isWhole), seen, hasFound };
  if (state.page > 1 && hasFound && seen.length < MAX_SEEN)
    return { ...state, page: 1, seen, hasFound: false };
  if (isWhole && !hasMore) return null;
  const start = timeKey(last);
  return { ...state, from: last, page: 1, seen: seen.filter((key) => key >= start), hasFound: false };
}
