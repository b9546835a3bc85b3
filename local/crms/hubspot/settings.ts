/** Associations, owners, pipelines, properties and the account. */
import type { Hono } from 'hono';
import { z } from 'zod';
import { members, parse } from '../members.ts';
import type { Row } from '../shared.ts';
import { invalid } from './errors.ts';
import { batch, bodyOf, type Environment, Inputs, pageOf } from './routes.ts';
import { ASSOCIATION_TYPES, KINDS, type Kind, kinds } from './state.ts';

const Links = z.strictObject({ inputs: Inputs.max(1000) });

/** The kind of a path, in the plural or singular. */
function kindOf(name: string): Kind {
  const found = kinds.find((kind) => [kind, KINDS[kind].singular].includes(name));
  if (found === undefined) throw invalid(`Unable to infer object type from: ${name}`);
  return found;
}

export function linkRoutes(app: Hono<Environment>, version: string): void {
  app.post(`/crm/associations/${version}/:from/:to/batch/read`, async (c) => {
    const [from, to] = [kindOf(c.req.param('from')), kindOf(c.req.param('to'))];
    const { inputs } = parse(Links, await bodyOf(c), invalid);
    const type = { category: 'HUBSPOT_DEFINED', typeId: ASSOCIATION_TYPES[`${from}:${to}`], label: null };
    const links = inputs.map(({ id }) => {
      const ids = c.get('desk').linked(from, id, to);
      return {
        from: { id },
        to: ids.map((other) => ({ toObjectId: Number(other), associationTypes: [type] })),
      };
    });
    const found = links.filter((link) => link.to.length > 0);
    const lost = links.filter((link) => link.to.length === 0).map((link) => link.from.id);
    return batch(c, found, lost, { subCategory: 'crm.associations.NO_ASSOCIATIONS_FOUND' });
  });
  app.put(`/crm/objects/${version}/:from/:id/associations/default/:to/:toId`, (c) => {
    const { from, id, to, toId } = c.req.param();
    c.get('desk').associate(kindOf(from), id, kindOf(to), toId);
    return batch(c, [], []);
  });
  app.delete(`/crm/objects/${version}/:from/:id/associations/:to/:toId`, (c) => {
    const { from, id, to, toId } = c.req.param();
    c.get('desk').dissociate(kindOf(from), id, kindOf(to), toId);
    return c.body(null, 204);
  });
}

const OWNERS = members('limit:<=500 after:text email:text archived:flag');

export function settingRoutes(app: Hono<Environment>, version: string): void {
  app.get(`/crm/owners/${version}`, (c) => {
    const query: Row = parse(OWNERS, c.req.query(), invalid);
    const { email, archived = 'false' } = query;
    const { owners } = c.get('desk').account;
    const listed = owners.filter(
      (one) => String(one.archived) === archived && (email ?? one.email) === one.email,
    );
    const { page, ...paging } = pageOf(listed, query);
    const results = page.map((one) => ({
      ...one,
      type: 'PERSON',
      userId: one.archived ? null : Number(one.id),
    }));
    return c.json({ results, ...paging });
  });
  app.get(`/crm/pipelines/${version}/deals`, (c) => {
    const ordered = <T extends object>(list: T[]) =>
      list.map((one, displayOrder) => ({ ...one, displayOrder, archived: false }));
    const { pipelines } = c.get('desk').account;
    return c.json({ results: ordered(pipelines.map((one) => ({ ...one, stages: ordered(one.stages) }))) });
  });
  for (const kind of kinds)
    app.get(`/crm/properties/${version}/${kind}`, (c) => {
      const texts = ['email', 'owner', 'stage', 'pipeline'];
      const results = c.get('desk').account.properties[kind].map(({ readOnly, type, ...property }) => ({
        ...{ ...property, type: texts.includes(type) ? 'string' : type },
        modificationMetadata: { readOnlyValue: readOnly },
      }));
      return c.json({ results });
    });
  for (const path of ['v3', version])
    app.get(`/account-info/${path}/details`, (c) => {
      const portalId = Number(c.get('desk').account.id);
      const place = { timeZone: 'America/Sao_Paulo', companyCurrency: 'BRL', uiDomain: 'app.hubspot.com' };
      return c.json({ portalId, accountType: 'STANDARD', ...place });
    });
}
