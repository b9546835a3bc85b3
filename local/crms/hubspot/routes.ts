/** Objects: lists, single ones, batches and search. Unknown and malformed parameters are refused. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { FakeEnvironment } from '../../fakes/fake.ts';
import { members, parse } from '../members.ts';
import { type Row, rowOf } from '../shared.ts';
import { type Desk, invalid, missing } from './objects.ts';
import { searchIn } from './search.ts';
import { ASSOCIATION_TYPES, type HubspotObject, KINDS, type Kind, LIST, READ } from './state.ts';

export type Environment = FakeEnvironment & { Variables: { desk: Desk } };
export type HubspotContext = Context<Environment>;

/** An object with the properties that are asked for. Those that do not exist are ignored. */
function shown(
  { account, linked }: Desk,
  kind: Kind,
  object: HubspotObject,
  names: string[],
  associations = '',
) {
  const wanted =
    names.length > 0 ? [...names, 'hs_object_id', KINDS[kind].changed] : KINDS[kind].shown.split(' ');
  const known = account.properties[kind].filter(({ name }) => wanted.includes(name));
  const { id, createdAt, updatedAt, archived } = object;
  const kinds = associations.split(',').filter((to): to is Kind => to in KINDS);
  const links = kinds.flatMap((to) => {
    const results = linked(kind, id, to).map((other) => ({
      id: other,
      type: `${KINDS[kind].singular}_to_${KINDS[to].singular}`,
    }));
    return results.length > 0 ? [[to, { results }]] : [];
  });
  const properties = Object.fromEntries(known.map(({ name }) => [name, object.properties[name] ?? null]));
  return {
    ...{ id, properties, createdAt, updatedAt, archived, ...(archived && { archivedAt: object.archivedAt }) },
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
const BatchRead = members('idProperty:text', {
  ...{ inputs: Inputs.max(100), properties: z.array(z.string()).default([]) },
  propertiesWithHistory: z.array(z.string()).optional(),
});

/** `COMPLETE`, with 207 and the errors if something is missing. */
export function batch(c: HubspotContext, results: unknown[], lost: string[], more: Row = {}) {
  const at = new Date().toISOString();
  const error = {
    status: 'error',
    category: 'OBJECT_NOT_FOUND',
    message: 'Could not get some objects',
    context: { ids: lost },
    ...more,
  };
  const errors = lost.length > 0 ? { numErrors: lost.length, errors: [error] } : {};
  return c.json(
    { status: 'COMPLETE', results, startedAt: at, completedAt: at, ...errors },
    lost.length > 0 ? 207 : 200,
  );
}

export function objectRoutes(app: Hono<Environment>, kind: Kind, version: string): void {
  const path = `/crm/objects/${version}/${kind}`;
  const readOf = (c: HubspotContext, id: string, query: Row): HubspotObject => {
    const { account, read, find } = c.get('desk');
    const { idProperty: name, archived } = query;
    if (archived === 'true')
      return rowOf(
        [find(kind, id)].filter((one) => one.archived),
        id,
        missing,
      );
    if (name === undefined) return read(kind, id);
    const wanted = id.toLowerCase();
    return rowOf(
      account.objects[kind],
      account.objects[kind].find(
        (one) => !one.archived && one.properties[String(name)]?.toLowerCase() === wanted,
      )?.id,
      missing,
    );
  };
  app.get(path, (c) => {
    const query: Row = parse(LIST, c.req.query(), invalid);
    const { limit = 10, after = '0', properties, associations, archived = 'false' } = query;
    if (!/^\d+$/.test(String(after))) throw invalid('after is not valid');
    const all = c
      .get('desk')
      .account.objects[kind].filter(
        (one) =>
          String(one.archived) === archived &&
          one.mergedInto === undefined &&
          Number(one.id) >= Number(after),
      );
    const page = all.slice(0, Number(limit));
    const next = all[page.length];
    const results = page.map((one) =>
      shown(c.get('desk'), kind, one, namesIn(properties), String(associations ?? '')),
    );
    return c.json({ results, ...(next && { paging: { next: { after: next.id, link: '' } } }) });
  });
  app.get(`${path}/:id`, (c) => {
    const query: Row = parse(READ, c.req.query(), invalid);
    const object = readOf(c, c.req.param('id'), query);
    return c.json(
      shown(c.get('desk'), kind, object, namesIn(query.properties), String(query.associations ?? '')),
    );
  });
  app.post(path, async (c) => {
    const { properties, associations = [] } = parse(Create, await bodyOf(c), invalid);
    const desk = c.get('desk');
    const ends = associations.map(({ to, types }) => {
      const to_ = Object.keys(KINDS).find(
        (other) => ASSOCIATION_TYPES[`${kind}:${other}`] === types[0]?.associationTypeId,
      );
      if (to_ === undefined) throw invalid('associationTypeId is not valid');
      return { kind: to_ as Kind, id: desk.read(to_ as Kind, to.id).id };
    });
    const object = desk.create(kind, properties);
    for (const end of ends) desk.associate(kind, object.id, end.kind, end.id);
    return c.json(shown(desk, kind, object, Object.keys(properties)), 201);
  });
  app.patch(`${path}/:id`, async (c) => {
    const { id } = readOf(c, c.req.param('id'), c.req.query());
    const { properties } = parse(Change, await bodyOf(c), invalid);
    return c.json(
      shown(c.get('desk'), kind, c.get('desk').change(kind, id, properties), Object.keys(properties)),
    );
  });
  app.delete(`${path}/:id`, (c) => {
    const object = c.get('desk').account.objects[kind].find(({ id }) => id === c.req.param('id'));
    if (object && !object.archived) c.get('desk').remove(kind, object.id);
    return c.body(null, 204);
  });
  app.post(`${path}/search`, async (c) => {
    const { total, found, paging, properties } = searchIn(c.get('desk'), kind, await bodyOf(c));
    const results = found.map((one) => shown(c.get('desk'), kind, one, properties));
    return c.json({ total, results, ...(paging && { paging }) });
  });
  app.post(`${path}/batch/read`, async (c) => {
    const { inputs, properties, idProperty } = parse(BatchRead, await bodyOf(c), invalid) as z.output<
      typeof BatchRead
    > & { inputs: { id: string }[]; properties: string[] };
    const lost: string[] = [];
    const results = inputs.flatMap(({ id }) => {
      try {
        return [shown(c.get('desk'), kind, readOf(c, id, { idProperty }), properties)];
      } catch {
        lost.push(id);
        return [];
      }
    });
    return batch(c, results, lost);
  });
}
