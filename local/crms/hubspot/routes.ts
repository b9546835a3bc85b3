/** Objects, owners, pipelines, properties and the account. HubSpot accepts more in requests, which is refused here. */
import { z } from 'zod';
import { bodyOf, type CrmApp, type CrmContext } from '../frame.ts';
import { members, parse } from '../members.ts';
import { sortable, sorted } from '../records.ts';
import type { Account, HubspotRow, Kind, Portal } from './records.ts';
import * as hub from './records.ts';

type Api = CrmApp<Account>;
type Request = CrmContext<Account>;
const given = async <S extends z.ZodType>(c: Request, schema: S): Promise<z.output<S>> =>
  parse(schema, await bodyOf(c), hub.invalid);

/** Values are texts. */
const Change = z.strictObject({ properties: z.record(z.string(), z.string()) });
/** Of a deal to a contact. */
const Type = z.object({ associationTypeId: z.literal(3) });
const Link = z.object({ to: z.object({ id: z.string() }), types: z.array(Type).length(1) });
const Create = Change.extend({ associations: z.array(Link).default([]) });
const ids = z.array(z.strictObject({ id: z.string() })).min(1);
const Links = z.strictObject({ inputs: ids.max(1000) });
const names = z.array(z.string()).default([]);
const Read = z.strictObject({
  ...{ inputs: ids.max(100), properties: names, propertiesWithHistory: names },
  idProperty: z.literal('email').optional(),
});
const Operator = z.enum(['EQ', 'LTE', 'GT', 'GTE']);
const Filter = z.strictObject({ propertyName: z.string(), operator: Operator, value: z.string() });
const Group = z.strictObject({ filters: z.array(Filter).min(1).max(6) });
const Sort = z.strictObject({ propertyName: z.string(), direction: z.literal('ASCENDING') });
const Search = z.strictObject({
  ...{ filterGroups: z.array(Group).max(1).default([]), sorts: z.array(Sort).max(1).default([]) },
  ...{ properties: names, limit: z.int().min(0).max(200) },
});
const OWNERS = members('limit:<=500 after:whole archived:true|false');

function search({ account, kit }: Portal, kind: Kind, order: z.output<typeof Search>) {
  const { filterGroups, sorts, properties, limit } = order;
  const keyOf = (name: string, text: unknown) =>
    sortable(hub.isTime(name) ? hub.msOf(String(text)) : String(text).toLowerCase());
  const filters = filterGroups[0]?.filters ?? [];
  const unknown = filters.find(({ propertyName: name }) => !(name in hub.typesOf(account, kind)));
  if (unknown) throw hub.invalid(`There was a problem with the request: no property ${unknown.propertyName}`);
  const isFound = (row: HubspotRow) =>
    filters.every(({ propertyName: name, operator, value }) => {
      const [own, wanted] = [keyOf(name, row[name]), keyOf(name, value)];
      const isMet = { EQ: own === wanted, LTE: own <= wanted, GT: own > wanted, GTE: own >= wanted };
      return row[name] !== null && isMet[operator];
    });
  const seenUntil = new Date(kit.clock.now() - account.options.searchLagMs).toISOString();
  const found = account.rows[kind].filter(
    (row) => String(row[hub.changedOf(kind)]) <= seenUntil && isFound(row),
  );
  const page = sorted(found, sorts[0]?.propertyName).slice(0, limit);
  const results = page.map((row) => hub.shown(row, kind, properties));
  const next = found.length > limit ? { paging: { next: { after: String(limit) } } } : {};
  return { total: found.length, results, ...next };
}

/** What is found of these ids, with 207 and an error if something is missing. */
function batch(c: Request, inputs: readonly { id: string }[], find: (id: string) => unknown) {
  const results = inputs.flatMap(({ id }) => find(id) ?? []);
  const lost = inputs.map(({ id }) => id).filter((id) => find(id) === undefined);
  if (lost.length === 0) return c.json({ status: 'COMPLETE', results });
  const errors = [{ status: 'error', category: 'OBJECT_NOT_FOUND', context: { ids: lost } }];
  return c.json({ status: 'COMPLETE', results, numErrors: 1, errors }, 207);
}

function recordRoutes(api: Api, kind: Kind, path: string): void {
  api.post(`${path}/search`, async (c) => c.json(search(c.get('desk'), kind, await given(c, Search))));
  api.post(`${path}/batch/read`, async (c) => {
    const { inputs, properties, idProperty } = await given(c, Read);
    const all = c.get('desk').account.rows[kind];
    return batch(c, inputs, (id) => {
      const withEmail = all.find(({ email }) => email === id.toLowerCase());
      const row = idProperty ? withEmail : hub.records(c.get('desk')).lookup(kind, id);
      return row && hub.shown(row, kind, properties);
    });
  });
  api.post(path, async (c) => {
    const [desk, { properties, associations }] = [c.get('desk'), await given(c, Create)];
    const { find, create } = hub.records(desk);
    for (const { to } of associations) find('contacts', to.id);
    const row = create(kind, properties);
    for (const { to } of associations) hub.link(desk, row.id, to.id, true);
    return c.json(hub.shown(row, kind), 201);
  });
  api.patch(`${path}/:id`, async (c) => {
    const { properties } = await given(c, Change);
    return c.json(hub.shown(hub.records(c.get('desk')).change(kind, c.req.param('id'), properties), kind));
  });
  api.delete(`${path}/:id`, (c) => {
    hub.records(c.get('desk')).remove(kind, c.req.param('id'));
    return c.body(null, 204);
  });
}

export const routesOf = (version: string) => (api: Api) => {
  for (const kind of hub.kinds) {
    recordRoutes(api, kind, `/crm/objects/${version}/${kind}`);
    api.get(`/crm/properties/${version}/${kind}`, (c) => {
      const types = Object.entries(hub.typesOf(c.get('desk').account, kind));
      return c.json({ results: types.map(([name, type]) => ({ name, label: name, type })) });
    });
  }
  api.post(`/crm/associations/${version}/deals/contacts/batch/read`, async (c) => {
    const [{ lookup }, { inputs }] = [hub.records(c.get('desk')), await given(c, Links)];
    return batch(c, inputs, (id) => {
      const contacts = (lookup('deals', id)?.contacts ?? []).filter((one) => lookup('contacts', one));
      const to = contacts.map((one) => ({ toObjectId: Number(one) }));
      return to.length > 0 ? { from: { id }, to } : undefined;
    });
  });
  const deal = `/crm/objects/${version}/deals/:id/associations` as const;
  api.put(`${deal}/default/contacts/:contact`, (c) => {
    hub.link(c.get('desk'), c.req.param('id'), c.req.param('contact'), true);
    return c.json({ status: 'COMPLETE', results: [] });
  });
  api.delete(`${deal}/contacts/:contact`, (c) => {
    hub.link(c.get('desk'), c.req.param('id'), c.req.param('contact'), false);
    return c.body(null, 204);
  });
  api.get(`/crm/owners/${version}`, (c) => {
    const { limit = 100, after = 0, archived = 'false' } = parse(OWNERS, c.req.query(), hub.invalid);
    const all = c.get('desk').account.owners.filter((one) => String(one.archived) === archived);
    const [from, to] = [Number(after), Number(after) + Number(limit)];
    const paging = to < all.length ? { paging: { next: { after: String(to) } } } : {};
    return c.json({ results: all.slice(from, to), ...paging });
  });
  api.get(`/crm/pipelines/${version}/deals`, (c) => c.json({ results: c.get('desk').account.pipelines }));
  for (const each of [version, 'v3'])
    api.get(`/account-info/${each}/details`, (c) => {
      const { id, options } = c.get('desk').account;
      return c.json({ portalId: Number(id), timeZone: options.timeZone });
    });
};
