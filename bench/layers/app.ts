// Placar's layers: each path runs one more of them, from a constant response to the endpoints of v1.
import { Hono } from 'hono';
import { manifest } from '../../functions/manifest.ts';
import { leadEndpoints } from '../../functions/v1/leads.ts';
import { createTokenVerifier } from '../../shared/platform/access/access-tokens.ts';
import { createRateLimitCache } from '../../shared/platform/access/rate-limited-session.ts';
import { createCounter } from '../../shared/platform/access/request-counter.ts';
import { addLimitHeaders, identifyHolder, requireToken } from '../../shared/platform/access/require-token.ts';
import { createDatabase, oneRow, type Sql, type Statement } from '../../shared/platform/db/database.ts';
import { columnList, columnsFromJson } from '../../shared/platform/db/sql.ts';
import { readEnv } from '../../shared/platform/env.ts';
import { appSettings, createApp, type Service } from '../../shared/platform/http/app.ts';
import { endpoint, mountEndpoints } from '../../shared/platform/http/endpoint.ts';
import { createQueue } from '../../shared/platform/jobs/publish.ts';
import { createLogger } from '../../shared/platform/logger.ts';
import { recordsErrorFormat } from '../../shared/platform/request/error-formats.ts';
import { getLead, leadList } from '../../shared/records/leads/reads.ts';
import { createLead, newLead, updateLead } from '../../shared/records/leads/writes.ts';
import { parseListQuery, readList } from '../../shared/records/list.ts';
import { parseBody } from '../../shared/records/naming.ts';
import { variants } from '../../shared/records/variants/variants.ts';

const env = readEnv(...manifest.v1.settings);
const log = createLogger(env.LOG_LEVEL);
const database = createDatabase(env, log);
const tokens = {
  database,
  counter: createCounter(env),
  verifier: createTokenVerifier(env, 'v1'),
  rateLimits: createRateLimitCache(),
};
const service: Service = {
  name: 'layers',
  errorFormat: recordsErrorFormat,
  schemes: ['Bearer'],
  database,
  counter: tokens.counter,
  identify: identifyHolder(tokens.verifier),
  queue: createQueue(env),
  ...appSettings(env),
  log,
  responseMiddleware: addLimitHeaders(tokens),
};

const read = { method: 'get', scopes: ['read:leads'], body: 'none' } as const;
const create = { method: 'post', scopes: ['write:leads'], body: 'required' } as const;
const update = { ...create, method: 'patch' } as const;
const DONE = { data: { done: true } };
const naming = variants.a.namings.lead;

/** The columns of the benchmark's leads. */
const COLUMNS = ['name', 'email', 'phone', 'company', 'position', 'source', 'custom_fields', 'tags'];

/** Inserts into a table with the columns and indexes of leads and without triggers (bench/layers/bare-leads.sql). */
const insertBareLead = (sql: Sql, tenantId: string, lead: object): Statement<{ record: object }> => sql`
  insert into public.bare_leads as l (tenant_id, ${columnList(sql, COLUMNS)})
  select ${tenantId}::uuid, ${columnsFromJson(sql, COLUMNS)}
  from jsonb_populate_record(null::public.bare_leads, ${JSON.stringify(lead)}::jsonb) as r
  returning to_jsonb(l) as record`;

const CHANGED = ['position', 'custom_fields'];

const updateBareLead = (sql: Sql, id: string, change: object): Statement<{ record: object }> => sql`
  update public.bare_leads l
  set (${columnList(sql, CHANGED)}) = (
    select ${columnsFromJson(sql, CHANGED)} from jsonb_populate_record(l, ${JSON.stringify(change)}::jsonb) as r)
  where l.id = ${id}
  returning to_jsonb(l) as record`;

const layers = {
  readGuarded: endpoint({ ...read, path: '/guarded', handle: async () => ({ status: 200, body: DONE }) }),
  createGuarded: endpoint({ ...create, path: '/guarded', handle: async () => ({ status: 200, body: DONE }) }),
  updateGuarded: endpoint({ ...update, path: '/guarded', handle: async () => ({ status: 200, body: DONE }) }),
  readTransaction: endpoint({
    ...read,
    path: '/transaction',
    async handle(request) {
      await request.context(200).read((sql) => sql`select 1`);
      return { status: 200, body: DONE };
    },
  }),
  createTransaction: endpoint({
    ...create,
    path: '/transaction',
    async handle(request) {
      await request.context(200).write((sql) => sql`select 1`);
      return { status: 200, body: DONE };
    },
  }),
  listRecords: endpoint({
    ...read,
    path: '/records',
    async handle(request) {
      const query = parseListQuery(leadList, naming, 25, request.query);
      const { records: data } = await readList(request.context(200), leadList, query);
      return { status: 200, body: { data } };
    },
  }),
  readRecord: endpoint({
    ...read,
    path: '/records/:id',
    async handle(request) {
      return { status: 200, body: { data: await getLead(request.context(200), request.params.id) } };
    },
  }),
  createBareRecord: endpoint({
    ...create,
    path: '/bare-records',
    async handle(request) {
      const lead = parseBody(newLead, naming, request.json);
      const context = request.context(201);
      const rows = await context.write((sql) => insertBareLead(sql, context.tenantId, lead));
      return { status: 201, body: { data: oneRow(rows).record } };
    },
  }),
  updateBareRecord: endpoint({
    ...update,
    path: '/bare-records/:id',
    async handle(request) {
      const rows = await request
        .context(200)
        .write((sql) => updateBareLead(sql, request.params.id, request.json));
      return { status: 200, body: { data: oneRow(rows).record } };
    },
  }),
  createRecord: endpoint({
    ...create,
    path: '/records',
    async handle(request) {
      const lead = parseBody(newLead, naming, request.json);
      return { status: 201, body: { data: await createLead(request.context(201), lead) } };
    },
  }),
  updateRecord: endpoint({
    ...update,
    path: '/records/:id',
    async handle(request) {
      const { json, params } = request;
      return { status: 200, body: { data: await updateLead(request.context(200), params.id, json) } };
    },
  }),
};

const placar = createApp(service);
const { listLeads, createLead: createNamed, getLead: getNamed, updateLead: updateNamed } = leadEndpoints;
mountEndpoints(placar, service, requireToken(tokens), {
  ...layers,
  ...{ listLeads, createNamed, getNamed, updateNamed },
});

const bare = new Hono();
bare.all('/layers/constant', (c) => c.json(DONE));

/** The constant response comes from an app of its own, so that no middleware runs before it. */
export const respond = (request: Request): Response | Promise<Response> =>
  (request.url.endsWith('/constant') ? bare : placar).fetch(request);
