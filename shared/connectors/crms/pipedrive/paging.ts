// Lists by time of change. Pages continue at a time and not after a number of records, so that records which change in between, and
// with that move to the end, push none out of sight.
import { z } from 'zod';
import type { Query } from '../client.ts';
import type { ListOptions } from '../crm.ts';
import type { ListPage, PipedriveClient } from './client.ts';
import { byChange, toFilterTime } from './facts.ts';

const positionSchema = z.object({
  /** The second at which the next page starts. Null: at the beginning, with records that never changed. */
  since: z.string().nullable(),
  /**
   * If one second has more records than a page: Pipedrive's cursor of each list inside this second; null for lists that have no more
   * records of it.
   */
  cursors: z.array(z.string().nullable()).optional(),
});
type Position = z.output<typeof positionSchema>;

interface Changed {
  update_time: string | null;
}

export interface Lists<T> {
  item: z.ZodType<T>;
  /** Paths of lists that together contain all records. */
  lists: readonly string[];
  filter: Query;
}

/** A page of what changed in some lists, the oldest change first. */
export async function listChanges<T extends Changed>(
  client: PipedriveClient,
  lists: Lists<T>,
  { since, cursor }: ListOptions,
): Promise<ListPage<T>> {
  let position: Position | null =
    cursor === null ? { since: since && toFilterTime(since) } : positionSchema.parse(JSON.parse(cursor));
  let items: T[] = [];
  while (position && !items.length) ({ items, position } = await readPage<T>(client, lists, position));
  return { items, next: position && JSON.stringify(position) };
}

/** Empty for records that never changed: before all others. */
const secondOf = (record: Changed | undefined): string =>
  record?.update_time ? toFilterTime(record.update_time) : '';

/** Records are only returned up to the last second that all lists have completely. */
async function readPage<T extends Changed>(
  client: PipedriveClient,
  { item, lists, filter }: Lists<T>,
  { since, cursors }: Position,
): Promise<{ items: T[]; position: Position | null }> {
  const pages: ListPage<T>[] = [];
  for (const [index, path] of lists.entries()) {
    const cursor = cursors?.[index] ?? null;
    const query = { ...filter, ...byChange, updated_since: since, cursor };
    const isComplete = cursors !== undefined && cursor === null;
    const page = isComplete ? undefined : await client.list(item, path, query);
    pages.push(page?.items.length ? page : { items: [], next: null });
  }
  const all = pages.flatMap(({ items }) => items.map((record) => ({ record, second: secondOf(record) })));
  all.sort((one, other) => (one.second < other.second ? -1 : Number(one.second > other.second)));
  const itemsIf = (isWanted: (second: string) => boolean) =>
    all.filter(({ second }) => isWanted(second)).map(({ record }) => record);

  const start = since ?? '';
  const unfinished = pages.filter(({ next }) => next !== null).map(({ items }) => secondOf(items.at(-1)));
  const [horizon] = unfinished.sort();
  if (!cursors && horizon === undefined) return { items: itemsIf(() => true), position: null };
  if (!cursors && horizon !== undefined && horizon !== start)
    return { items: itemsIf((second) => second < horizon), position: { since: horizon } };

  const inside = pages.map(({ items, next }) => (secondOf(items.at(-1)) === start ? next : null));
  const isInside = inside.some((cursor) => cursor !== null);
  return {
    items: itemsIf((second) => second === start),
    position: isInside ? { since, cursors: inside } : { since: secondAfter(start) },
  };
}

const secondAfter = (second: string): string =>
  toFilterTime(new Date(second ? Date.parse(second) + 1000 : 0).toISOString());
