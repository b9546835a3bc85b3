/** `search`: groups of filters, one sort, and at most 10 000 results. */
import { z } from 'zod';
import { parse } from '../members.ts';
import { compareValues } from '../shared.ts';
import { invalid } from './errors.ts';
import type { Desk } from './objects.ts';
import type { HubspotObject, Kind } from './state.ts';

const Text = z.coerce.string();
/** HubSpot has others, which are refused here. */
const Filter = z.strictObject({
  propertyName: z.string(),
  operator: z.enum(['EQ', 'LT', 'LTE', 'GT', 'GTE']),
  value: Text,
});
type Filter = z.output<typeof Filter>;
const Sort = z.union([
  z.string(),
  z.strictObject({ propertyName: z.string(), direction: z.string().optional() }),
]);
const Search = z.strictObject({
  filterGroups: z
    .array(z.strictObject({ filters: z.array(Filter).max(6) }))
    .max(5)
    .default([]),
  sorts: z.array(Sort).max(1).default([]),
  ...{ properties: z.array(z.string()).default([]), limit: z.int().min(0).max(200).default(10) },
  after: Text.default('0'),
});

const MAX_RESULTS = 10_000;

/** Numbers and times as numbers, so that they compare by size. */
const comparable = (text: string, type: string): unknown => {
  if (type === 'datetime') return /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  return type === 'number' ? Number(text) : text.toLowerCase();
};

function isMet(object: HubspotObject, filter: Filter, type: string): boolean {
  const text = object.properties[filter.propertyName] ?? null;
  if (text === null) return false;
  const order = compareValues(comparable(text, type), comparable(filter.value, type));
  const isMetBy = { EQ: order === 0, LT: order < 0, LTE: order <= 0, GT: order > 0, GTE: order >= 0 };
  return isMetBy[filter.operator];
}

export function searchIn({ account, kit }: Desk, kind: Kind, given: unknown) {
  const { filterGroups, sorts, properties, limit, after } = parse(Search, given, invalid);
  const typeOf = (name: string): string => {
    const property = account.properties[kind].find((one) => one.name === name);
    if (property === undefined) throw invalid(`There was a problem with the request: no property ${name}`);
    return property.type;
  };
  const from = Number(after);
  if (!Number.isInteger(from) || from + limit > MAX_RESULTS) throw invalid('after plus limit is above 10000');
  const groups = filterGroups.map(({ filters }) =>
    filters.map((filter) => ({ filter, type: typeOf(filter.propertyName) })),
  );
  const [sort = 'hs_object_id'] = sorts;
  const [name, sign] =
    typeof sort === 'string' ? [sort, 1] : [sort.propertyName, sort.direction === 'DESCENDING' ? -1 : 1];
  const sortType = typeOf(name);
  const seenUntil = new Date(kit.clock.now() - account.options.searchLagMs).toISOString();
  const key = (object: HubspotObject) => comparable(object.properties[name] ?? '', sortType);
  const found = account.objects[kind]
    .filter((object) => !object.archived && object.updatedAt <= seenUntil)
    .filter(
      (object) =>
        groups.length === 0 ||
        groups.some((group) => group.every(({ filter, type }) => isMet(object, filter, type))),
    )
    .sort((a, b) => sign * compareValues(key(a), key(b)) || Number(a.id) - Number(b.id));
  const next = from + limit < found.length ? { next: { after: String(from + limit), link: '' } } : undefined;
  return { total: found.length, found: found.slice(from, from + limit), paging: next, properties };
}
