// Lists records by the time of their last change. Pages continue from the last time seen, not by number: a record that changes while
// pages are read moves to the end, and would move another one to a page that was read before.
import { z } from 'zod';
import type { ListOptions } from '../crm.ts';
import type { HubSpotClient } from './client.ts';
import { OBJECT_NAMES, OBJECTS, type ObjectName, TASK_DONE } from './facts.ts';
import { type Row, type Search, searchRows } from './rows.ts';

const positionSchema = z.object({
  object: z.enum(OBJECT_NAMES),
  /** Milliseconds; 0 for all that exist. */
  sinceMs: z.number(),
  /** Records that changed at or after this time, in milliseconds. */
  fromMs: z.number(),
  /** Ids of the records that changed at `fromMs` and were listed. */
  seen: z.array(z.string()),
  /**
   * Set if more records changed at `fromMs` than fit on a page: they are listed by id, those above this one. HubSpot sorts by one property
   * only.
   */
  afterId: z.string().optional(),
});
type Position = z.infer<typeof positionSchema>;

/** A page of one of these objects, which are listed one after the other. */
export async function listRows(
  client: HubSpotClient,
  objects: readonly ObjectName[],
  properties: readonly string[],
  { since, cursor }: ListOptions,
): Promise<{ object: ObjectName | undefined; rows: Row[]; next: string | null }> {
  const position = cursor
    ? positionSchema.parse(JSON.parse(cursor))
    : startOf(objects[0], since === null ? 0 : Date.parse(since));
  // An activity may no longer be mapped.
  if (!position || !objects.includes(position.object)) return { object: undefined, rows: [], next: null };
  const { object, fromMs } = position;
  const { rows, isLast } = await searchRows(client, object, searchOf(position, properties));
  const seen = new Set(position.seen);
  const next = isLast ? afterLastPage(position, objects) : afterFullPage(position, rows);
  return {
    object,
    rows: rows.filter((row) => !(seen.has(row.id) && changedMs(row) === fromMs)),
    next: next && JSON.stringify(next),
  };
}

const startOf = (object: ObjectName | undefined, sinceMs: number): Position | null =>
  object ? { object, sinceMs, fromMs: sinceMs, seen: [] } : null;

function searchOf({ object, fromMs, afterId }: Position, properties: readonly string[]): Search {
  const { modifiedAt } = OBJECTS[object];
  const filters: Search['filters'] = [];
  const value = String(fromMs);
  if (fromMs > 0) filters.push({ propertyName: modifiedAt, operator: 'GTE', value });
  if (object === 'tasks') filters.push({ propertyName: 'hs_task_status', operator: 'EQ', value: TASK_DONE });
  if (afterId === undefined) return { filters, sortBy: modifiedAt, properties };
  filters.push({ propertyName: modifiedAt, operator: 'LTE', value });
  filters.push({ propertyName: 'hs_object_id', operator: 'GT', value: afterId });
  return { filters, sortBy: 'hs_object_id', properties };
}

function afterLastPage(position: Position, objects: readonly ObjectName[]): Position | null {
  const { object, sinceMs, fromMs, afterId } = position;
  if (afterId !== undefined) return { object, sinceMs, fromMs: fromMs + 1, seen: [] };
  return startOf(objects[objects.indexOf(object) + 1], sinceMs);
}

function afterFullPage(position: Position, rows: Row[]): Position | null {
  const last = rows.at(-1);
  if (!last) return null;
  if (position.afterId !== undefined) return { ...position, afterId: last.id };
  const lastMs = changedMs(last);
  const listed = rows.filter((row) => changedMs(row) === lastMs).map(({ id }) => id);
  if (lastMs > position.fromMs) return { ...position, fromMs: lastMs, seen: listed };
  return { ...position, seen: [...new Set([...position.seen, ...listed])], afterId: '0' };
}

const changedMs = (row: Row): number => Date.parse(row.updatedAt);
