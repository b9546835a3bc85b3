// Lists what changed, the oldest change first. Pages continue at a time and not after a number of records, so that records which change in
// between, and with that move to the end, push none out of sight.
import { z } from 'zod';
import type { ListOptions } from './crm.ts';

const positionSchema = z.object({
  /** The first list of the group. */
  group: z.string(),
  /** The time at which the next page starts. Null: at the beginning, with records that never changed. */
  since: z.string().nullable(),
  /**
   * If more records than a page have this time: where each list of the group continues among them; null for lists that have no more of
   * them.
   */
  cursors: z.array(z.string().nullable()).optional(),
});
type Position = z.output<typeof positionSchema>;

interface ChangedPage<T> {
  /** In the order of their changes. */
  items: T[];
  /** Continues after this page, among the records of one time. Null after the last page. */
  next: string | null;
}

export interface Changes<T, List extends string> {
  /** Groups of lists, which are read one after the other. The lists of a group are read as one. */
  groups: readonly (readonly List[])[];
  /** Of the CRM's times of change. */
  resolutionMs: number;
  /** ISO 8601; null if it never changed. */
  changedAt(item: T): string | null;
  /**
   * Returns a page of what changed at or after `since`. With a `cursor`, the page continues among the records of exactly that time, or begins
   * with the first of them if the cursor is empty; records of later times may follow.
   */
  read(list: List, since: string | null, cursor: string | undefined): Promise<ChangedPage<T>>;
}

/** A page, and where the next one begins; null after the last one. */
export async function listChanges<T, List extends string>(
  changes: Changes<T, List>,
  { since, cursor }: ListOptions,
): Promise<{ items: T[]; next: string | null }> {
  const startOf = (group: readonly string[] | undefined): Position | null =>
    group?.[0] === undefined ? null : { group: group[0], since: since && toTime(changes, since) };
  let position = cursor === null ? startOf(changes.groups[0]) : positionSchema.parse(JSON.parse(cursor));
  let items: T[] = [];
  while (position && !items.length) {
    const { group }: Position = position;
    const place = changes.groups.findIndex(([first]) => first === group);
    const lists = changes.groups[place];
    // A list may no longer be wanted.
    if (!lists) return { items, next: null };
    const page: { items: T[]; position: Position | null } = await readPage(changes, lists, position);
    ({ items } = page);
    position = page.position ?? startOf(changes.groups[place + 1]);
  }
  return { items, next: position && JSON.stringify(position) };
}

/** A time as text, so that equal texts are the same time to the CRM. */
const toTime = ({ resolutionMs }: { resolutionMs: number }, iso: string): string =>
  new Date(Math.floor(Date.parse(iso) / resolutionMs) * resolutionMs).toISOString();

/** Records are only returned up to the last time that all lists of the group have completely. */
async function readPage<T, List extends string>(
  changes: Changes<T, List>,
  lists: readonly List[],
  { group, since, cursors }: Position,
): Promise<{ items: T[]; position: Position | null }> {
  /** Empty for records that never changed: before all others. */
  const timeOf = (item: T | undefined): string => {
    const at = item && changes.changedAt(item);
    return at ? toTime(changes, at) : '';
  };
  const pages: ChangedPage<T>[] = [];
  for (const [index, list] of lists.entries()) {
    const cursor = cursors?.[index];
    const page = cursor === null ? undefined : await changes.read(list, since, cursor);
    pages.push(page?.items.length ? page : { items: [], next: null });
  }
  const all = pages.flatMap(({ items }) => items.map((item) => ({ item, time: timeOf(item) })));
  all.sort((one, other) => (one.time < other.time ? -1 : Number(one.time > other.time)));
  const itemsIf = (isWanted: (time: string) => boolean) =>
    all.filter(({ time }) => isWanted(time)).map(({ item }) => item);

  const start = since ?? '';
  if (cursors) {
    const inside = pages.map(({ items, next }) => (timeOf(items.at(-1)) === start ? next : null));
    const isInside = inside.some((cursor) => cursor !== null);
    const after = new Date((start ? Date.parse(start) : -1) + changes.resolutionMs).toISOString();
    return {
      items: itemsIf((time) => time === start),
      position: isInside ? { group, since, cursors: inside } : { group, since: toTime(changes, after) },
    };
  }
  const unfinished = pages.filter(({ next }) => next !== null).map(({ items }) => timeOf(items.at(-1)));
  const [horizon] = unfinished.sort();
  if (horizon === undefined) return { items: itemsIf(() => true), position: null };
  if (horizon !== start)
    return { items: itemsIf((time) => time < horizon), position: { group, since: horizon } };
  return { items: [], position: { group, since, cursors: lists.map(() => '') } };
}
