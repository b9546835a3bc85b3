// Reads records of HubSpot's objects: by search, by the time of their last change, and by id.
import { z } from 'zod';
import type { Changes } from '../changes.ts';
import { CrmUnreadable } from '../errors.ts';
import { id } from '../wire.ts';
import type { HubSpotClient } from './client.ts';
import { LIMITS, NOT_FOUND_CATEGORY, OBJECTS, type ObjectName, TASK_DONE } from './facts.ts';

/** A record. */
export interface Row {
  object: ObjectName;
  id: string;
  /** When it last changed, ISO 8601. */
  updatedAt: string;
  properties: Readonly<Record<string, string | null | undefined>>;
  /** A property, trimmed; null if it is empty. */
  property(name: string): string | null;
}

/** A property, which must compare in this way to a value. */
export type Filter = readonly [name: string, operator: 'EQ' | 'GT' | 'GTE' | 'LTE', value: unknown];

interface Search {
  filters: readonly Filter[];
  /** Ascending. */
  sortBy: string;
  /** Besides those in `OBJECTS`. */
  properties: readonly string[];
}

export const pagingSchema = z.object({ next: z.object({ after: id }).nullish() }).nullish();
const textSchema = z.union([z.string(), z.number(), z.boolean()]).transform(String).nullish();
const recordSchema = z.object({
  id,
  properties: z.record(z.string(), textSchema),
  updatedAt: textSchema,
  archived: z.boolean().nullish(),
});
const searchSchema = z.object({ results: z.array(recordSchema), paging: pagingSchema });
const linkSchema = z.object({ from: z.object({ id }), to: z.array(z.object({ toObjectId: id })) });
const errorsSchema = z.array(z.object({ category: textSchema })).nullish();

/** The first page of a search. */
export async function searchRows(client: HubSpotClient, object: ObjectName, search: Search) {
  const { sortBy, properties } = search;
  const filters = search.filters.map(([propertyName, operator, value]) => ({
    ...{ propertyName, operator, value: String(value) },
  }));
  const body = {
    // A group without filters is invalid.
    filterGroups: filters.length ? [{ filters }] : [],
    sorts: [{ propertyName: sortBy, direction: 'ASCENDING' }],
    properties: propertiesOf(object, properties),
    limit: LIMITS.searchPage,
  };
  const path = `${client.paths.records(object)}/search`;
  const pace = { intervalMs: LIMITS.searchIntervalMs };
  const { results, paging } = await client.query(searchSchema, path, body, pace);
  return { rows: results.map((record) => rowOf(object, record)), isLast: !paging?.next || !results.length };
}

/** The objects are listed one after the other. */
export const rowChanges = (
  client: HubSpotClient,
  objects: readonly ObjectName[],
  properties: readonly string[],
): Changes<Row, ObjectName> => ({
  groups: objects.map((object) => [object]),
  resolutionMs: 1,
  changedAt: ({ updatedAt }) => updatedAt,
  async read(object, since, cursor) {
    const { modifiedAt } = OBJECTS[object];
    const filters: Filter[] = [];
    const time = since && Date.parse(since);
    if (since) filters.push([modifiedAt, 'GTE', time]);
    if (object === 'tasks') filters.push(['hs_task_status', 'EQ', TASK_DONE]);
    const isOfOneTime = cursor !== undefined;
    // HubSpot sorts by one property only.
    if (isOfOneTime) filters.push([modifiedAt, 'LTE', time], ['hs_object_id', 'GT', cursor || '0']);
    const sortBy = isOfOneTime ? 'hs_object_id' : modifiedAt;
    const { rows, isLast } = await searchRows(client, object, { filters, sortBy, properties });
    return { items: rows, next: isLast ? null : (rows.at(-1)?.id ?? null) };
  },
});

/** The rows that exist under these ids. HubSpot returns the winner of a merge for its losers, which are left out. */
export async function readRows(
  client: HubSpotClient,
  object: ObjectName,
  ids: readonly string[],
  properties: readonly string[],
): Promise<Row[]> {
  // Another id makes HubSpot reject the whole batch.
  const wanted = new Set(ids.filter((id) => /^\d+$/.test(id)));
  const path = `${client.paths.records(object)}/batch/read`;
  const others = { properties: propertiesOf(object, properties), propertiesWithHistory: [] };
  const records = await readBatches(client, recordSchema, path, [...wanted], others);
  return records.filter(({ id, archived }) => wanted.has(id) && !archived).map((row) => rowOf(object, row));
}

/** Ids of contacts with this address. Unlike a search it finds a contact that was just created. */
export async function contactsWith(client: HubSpotClient, email: string) {
  const path = `${client.paths.records('contacts')}/batch/read`;
  const others = { idProperty: 'email', properties: ['email'], propertiesWithHistory: [] };
  const records = await readBatches(client, recordSchema, path, [email], others);
  return records.flatMap(({ id, archived }) => (archived ? [] : [id]));
}

/** The first linked contact of these deals, by id of the deal. */
export async function contactsOfDeals(client: HubSpotClient, ids: readonly string[]) {
  const links = await readBatches(client, linkSchema, client.paths.contactsOfDeals, ids);
  return new Map(links.map(({ from, to }) => [from.id, to[0]?.toObjectId ?? null]));
}

async function readBatches<T>(
  client: HubSpotClient,
  schema: z.ZodType<T>,
  path: string,
  ids: readonly string[],
  others: object = {},
): Promise<T[]> {
  const batchSchema = z.object({ results: z.array(schema), errors: errorsSchema });
  const all: T[] = [];
  for (let at = 0; at < ids.length; at += LIMITS.batch) {
    const inputs = ids.slice(at, at + LIMITS.batch).map((id) => ({ id }));
    const { results, errors } = await client.query(batchSchema, path, { inputs, ...others });
    // A record that is missing because of another error would be seen as deleted.
    const other = errors?.find(({ category }) => category !== NOT_FOUND_CATEGORY);
    if (other) throw new CrmUnreadable(`HubSpot ${path}: error of category ${other.category}`);
    all.push(...results);
  }
  return all;
}

/** ISO 8601 in UTC, from ISO 8601 or milliseconds. Null if it is neither. */
export function toIso(value: string | null | undefined): string | null {
  const at = new Date(value && /^\d+$/.test(value) ? Number(value) : (value ?? Number.NaN));
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

const propertiesOf = (object: ObjectName, others: readonly string[]): string[] => [
  ...new Set([...OBJECTS[object].properties, OBJECTS[object].modifiedAt, ...others]),
];

function rowOf(object: ObjectName, { id, properties, updatedAt }: z.infer<typeof recordSchema>): Row {
  const property = (name: string): string | null => properties[name]?.trim() || null;
  const changedAt = toIso(property(OBJECTS[object].modifiedAt) ?? updatedAt);
  if (changedAt === null) throw new CrmUnreadable(`HubSpot ${object}: a record without a time of change`);
  return { object, id, updatedAt: changedAt, properties, property };
}
