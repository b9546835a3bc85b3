/** Associations, owners, pipelines, properties and the account. */
import type { Hono } from 'hono';
import { z } from 'zod';
import { members, parse } from '../members.ts';
import type { Row } from '../shared.ts';
import { invalid } from './objects.ts';
import { batch, bodyOf, type Environment, type HubspotContext, Inputs } from './routes.ts';
import { ASSOCIATION_TYPES, KINDS, type Kind } from './state.ts';

export function linkRoutes(app: Hono<Environment>, version: string): void {
  const kinds = (c: HubspotContext) => {
    const [from, to] = [c.req.param('from'), c.req.param('to')].map((given) =>
      Object.keys(KINDS).find((kind) => [kind, KINDS[kind as Kind].singular].includes(String(given))),
    );
    if (from === undefined || to === undefined) throw invalid('Unable to infer object type');
    return [from as Kind, to as Kind] as const;
  };
  app.post(`/crm/associations/${version}/:from/:to/batch/read`, async (c) => {
    const [from, to] = kinds(c);
    const { inputs } = parse(z.strictObject({ inputs: Inputs.max(1000) }), await bodyOf(c), invalid);
    const { linked } = c.get('desk');
    const type = { category: 'HUBSPOT_DEFINED', typeId: ASSOCIATION_TYPES[`${from}:${to}`], label: null };
    const all = inputs.map(({ id }) => ({
      from: { id },
      to: linked(from, id, to).map((other) => ({ toObjectId: Number(other), associationTypes: [type] })),
    }));
    const lost = all.filter(({ to: ends }) => ends.length === 0).map(({ from: { id } }) => id);
    return batch(
      c,
      all.filter(({ to: ends }) => ends.length > 0),
      lost,
      { subCategory: 'crm.associations.NO_ASSOCIATIONS_FOUND' },
    );
  });
  app.put(`/crm/objects/${version}/:from/:id/associations/default/:to/:toId`, (c) => {
    const [from, to] = kinds(c);
    c.get('desk').associate(from, c.req.param('id'), to, c.req.param('toId'));
    return batch(c, [], []);
  });
}

export function settingRoutes(app: Hono<Environment>, version: string): void {
  app.get(`/crm/owners/${version}`, (c) => {
    const query: Row = parse(
      members('limit:<=500 after:text email:text archived:flag'),
      c.req.query(),
      invalid,
    );
    const { limit = 100, after = '0', email, archived = 'false' } = query;
    const all = c
      .get('desk')
      .account.owners.filter(
        (one) =>
          String(one.archived) === archived &&
          (email ?? one.email) === one.email &&
          Number(one.id) >= Number(after),
      );
    const page = all.slice(0, Number(limit));
    const next = all[page.length];
    const results = page.map((one) => ({
      ...one,
      type: 'PERSON',
      userId: one.archived ? null : Number(one.id),
    }));
    return c.json({ results, ...(next && { paging: { next: { after: next.id, link: '' } } }) });
  });
  app.get(`/crm/pipelines/${version}/deals`, (c) =>
    c.json({
      results: c.get('desk').account.pipelines.map(({ stages, ...pipeline }, displayOrder) => ({
        ...{ ...pipeline, displayOrder, archived: false },
        stages: stages.map((stage, order) => ({ ...stage, displayOrder: order, archived: false })),
      })),
    }),
  );
  for (const kind of Object.keys(KINDS) as Kind[])
    app.get(`/crm/properties/${version}/${kind}`, (c) =>
      c.json({
        results: c.get('desk').account.properties[kind].map(({ readOnly, type, ...property }) => ({
          ...{ ...property, type: ['email', 'owner', 'stage', 'pipeline'].includes(type) ? 'string' : type },
          modificationMetadata: { readOnlyValue: readOnly },
        })),
      }),
    );
  for (const path of ['v3', version])
    app.get(`/account-info/${path}/details`, (c) =>
      c.json({
        ...{
          portalId: Number(c.get('desk').account.id),
          accountType: 'STANDARD',
          timeZone: 'America/Sao_Paulo',
        },
        ...{ companyCurrency: 'BRL', uiDomain: 'app.hubspot.com', dataHostingLocation: 'na1' },
      }),
    );
}
