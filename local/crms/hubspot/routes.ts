/** Objects: lists, single ones, batches and search. Unknown and malformed parameters are refused. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { FakeEnvironment } from '../../fakes/fake.ts';
import { parse } from '../members.ts';
import { type Row, rowOf } from '../shared.ts';
import { invalid, missing } from './errors.ts';
import type { Desk } from './objects.ts';
import { searchIn } from './search.ts';
import { ASSOCIATION_TYPES, type HubspotObject, KINDS, type Kind, kinds, LIST, READ } from './state.ts';

export type Environment = FakeEnvironment & { Variables: { desk: Desk } };
export type HubspotContext = Context<Environment>;

/** An object with the properties that are asked for. Those that do not exist are ignored. */
function shown(
  { account, linked }: Desk,
  kind: Kind,
  object: HubspotObject,
  names: string[],
  associations?: unknown,
) {
  const { singular, changed, shown: byDefault } = KINDS[kind];
  const wanted = names.length > 0 ? [...names, 'hs_object_id', changed] : byDefault.split(' ');
  const known = account.properties[kind].filter(({ name }) => wanted.includes(name));
  const { id, createdAt, updatedAt, archived, archivedAt } = object;
  const asked = namesIn(associations);
  const links = kinds
    .filter((to) => asked.includes(to))
    .flatMap((to) => {
      const type = `${singular}_to_${KINDS[to].singular}`;
      const results = linked(kind, id, to).map((other) => ({ id: other, type }));
      return results.length > 0 ? [[to, { results }]] : [];
    });
  return {
    ...{ id, createdAt, updatedAt, archived, ...(archived && { archivedAt }) },
    properties: Object.fromEntries(known.map(({ name }) => [name, object.properties[name] ?? null])),
    ...(links.length > 0 && { associations: Object.fromEntries(links) }),
  };
}

const namesIn = (text: unknown): string[] => (text === undefined ? [] : String(text).split(','));
export const bodyOf = (c: HubspotContext): Promise<unknown> =>
  c.req.json().catch(() => {
    throw invalid('Invalid input JSON');
  });

const Texts = z.record(z.string(), z.string());
const Link = z.object({
  to: z.object({ id: z.coerce.string() }),
  types: z.array(z.object({ associationTypeId: z.int() })),
});
const Create = z.strictObject({ properties: Texts, associations: z.array(Link).optional() });
const Change = z.strictObject({ properties: Texts });
export const Inputs = z.array(z.strictObject({ id: z.coerce.string() })).min(1);
const BatchRead = z.strictObject({
  ...{
    inputs: Inputs.max(100),
    properties: z.array(z.string()).default([]),
    idProperty: z.string().optional(),
  },
  propertiesWithHistory: z.array(z.string()).optional(),
});

/** `COMPLETE`, with 207 and the errors if something is missing. */
export function batch(c: HubspotContext, results: unknown[], lost: string[], more: Row = {}) {
  const at = new Date().toISOString();
  const error = { status: 'error', category: 'OBJECT_NOT_FOUND', message: 'Could not get some objects' };
  const errors = { numErrors: lost.length, errors: [{ ...error, context: { ids: lost }, ...more }] };
  const answer = { status: 'COMPLETE', results, startedAt: at, completedAt: at };
  return lost.length > 0 ? c.json({ ...answer, ...errors }, 207) : c.json(answer);
}

/** The object of a path or an input, by its id or by another unique property. */
function readObject({ account, read }: Desk, kind: Kind, id: string, query: Row): HubspotObject {
  const { idProperty: name, archived } = query;
  const objects = account.objects[kind].filter((one) => String(one.archived) === (archived ?? 'false'));
  if (archived === 'true') return rowOf(objects, id, missing);
  if (name === undefined) return read(kind, id);
  const isMeant = ({ properties }: HubspotObject) =>
    properties[String(name)]?.toLowerCase() === id.toLowerCase();
  return rowOf(objects, objects.find(isMeant)?.id, missing);
}

/** A page of what is sorted by id. The next page begins with the id `after`. */
export function pageOf<T extends { id: string }>(all: readonly T[], { limit = 100, after = '0' }: Row) {
  if (!/^\d+$/.test(String(after))) throw invalid('after is not valid');
  const rest = all.filter(({ id }) => Number(id) >= Number(after));
  const next = rest[Number(limit)];
  return {
    page: rest.slice(0, Number(limit)),
    ...(next && { paging: { next: { after: next.id, link: '' } } }),
  };
}

export function readRoutes(app: Hono<Environment>, kind: Kind, version: string): void {
  const path = `/crm/objects/${version}/${kind}`;
  app.get(path, (c) => {
    const query: Row = parse(LIST, c.req.query(), invalid);
    const { archived = 'false', properties, associations } = query;
    const all = c.get('desk').account.objects[kind];
    const listed = all.filter((one) => String(one.archived) === archived && one.mergedInto === undefined);
    const { page, ...paging } = pageOf(listed, { limit: 10, ...query });
    const names = namesIn(properties);
    return c.json({
      results: page.map((one) => shown(c.get('desk'), kind, one, names, associations)),
      ...paging,
    });
  });
  app.get(`${path}/:id`, (c) => {
    const query: Row = parse(READ, c.req.query(), invalid);
    const object = readObject(c.get('desk'), kind, c.req.param('id'), query);
    return c.json(shown(c.get('desk'), kind, object, namesIn(query.properties), query.associations));
  });
  app.post(`${path}/search`, async (c) => {
    const { total, found, paging, properties } = searchIn(c.get('desk'), kind, await bodyOf(c));
    const results = found.map((one) => shown(c.get('desk'), kind, one, properties));
    return c.json({ total, results, ...(paging && { paging }) });
  });
  app.post(`${path}/batch/read`, async (c) => {
    const { inputs, properties, idProperty } = parse(BatchRead, await bodyOf(c), invalid);
    const lost: string[] = [];
    const results = inputs.flatMap(({ id }) => {
      try {
        return [shown(c.get('desk'), kind, readObject(c.get('desk'), kind, id, { idProperty }), properties)];
      } catch {
        lost.push(id);
        return [];
      }
    });
    return batch(c, results, lost);
  });
}

export function writeRoutes(app: Hono<Environment>, kind: Kind, version: string): void {
  const path = `/crm/objects/${version}/${kind}`;
  const kindOf = (typeId: number | undefined): Kind => {
    const found = kinds.find((other) => ASSOCIATION_TYPES[`${kind}:${other}`] === typeId);
    if (found === undefined) throw invalid('associationTypeId is not valid');
    return found;
  };
  app.post(path, async (c) => {
    const { properties, associations = [] } = parse(Create, await bodyOf(c), invalid);
    const desk = c.get('desk');
    const ends = associations.map(({ to, types: [type] }) => {
      const other = kindOf(type?.associationTypeId);
      return { other, id: desk.read(other, to.id).id };
    });
    const object = desk.create(kind, properties);
    for (const { other, id } of ends) desk.associate(kind, object.id, other, id);
    return c.json(shown(desk, kind, object, Object.keys(properties)), 201);
  });
  app.patch(`${path}/:id`, async (c) => {
    const desk = c.get('desk');
    const { id } = readObject(desk, kind, c.req.param('id'), parse(READ, c.req.query(), invalid));
    const { properties } = parse(Change, await bodyOf(c), invalid);
    return c.json(shown(desk, kind, desk.change(kind, id, properties), Object.keys(properties)));
  });
  app.delete(`${path}/:id`, (c) => {
    const object = c.get('desk').account.objects[kind].find(({ id }) => id === c.req.param('id'));
    if (object?.archived === false) c.get('desk').remove(kind, object.id);
    return c.body(null, 204);
  });
}
