/** API v2 of records and fields, API v1 of users and webhooks. Unknown and malformed parameters are refused. */
import { addWebhook, bodyOf, type CrmApp, type CrmContext, removeWebhook } from '../frame.ts';
import { parse } from '../members.ts';
import { type Row, sorted, sortKey, type Webhook } from '../records.ts';
import { invalid, read, records, refusal } from './records.ts';
import type { Account, Company, Kind, PipedriveRow } from './state.ts';
import * as state from './state.ts';

type Api = CrmApp<Account>;
const send = (c: CrmContext<Account>, data: unknown, more: Row = {}, status: 200 | 201 = 200) =>
  c.json({ success: true, data, ...more }, status);

/** Records that match the filters. Deleted ones never do. */
function listed({ account }: Company, kind: Kind, isArchived: boolean, query: Row): PipedriveRow[] {
  const ids = query.ids === undefined ? undefined : String(query.ids).split(',');
  const since = Date.parse(String(query.updated_since));
  return account.rows[kind].filter(
    (row) =>
      (row.is_archived === true) === isArchived &&
      (ids?.includes(String(row.id)) ?? true) &&
      (query.done ?? String(row.done)) === String(row.done) &&
      !(Date.parse(String(row.update_time)) < since),
  );
}

/** The page after a cursor, which contains what the last record was sorted by. */
function page(rows: PipedriveRow[], { sort_by: by = 'id', limit = 100, cursor = '' }: Row) {
  const after = Buffer.from(String(cursor), 'base64url').toString();
  const keyOf = (row: PipedriveRow | undefined) => (row ? sortKey(row, String(by)) : '');
  const found = sorted(rows, String(by)).filter((row) => keyOf(row) > after);
  const data = found.slice(0, Number(limit));
  const isLast = found.length === data.length;
  const next_cursor = isLast ? null : Buffer.from(keyOf(data.at(-1))).toString('base64url');
  return { data, additional_data: { next_cursor } };
}

/** A record with all custom fields. Those without a value are null. */
function shown({ account: { bin, fields } }: Company, kind: Kind, row: PipedriveRow): Row {
  const all = { ...row, is_deleted: bin[kind].includes(row) };
  if (kind !== 'deals' && kind !== 'persons') return all;
  const empty = Object.fromEntries(fields[kind].map(({ key }) => [key, null]));
  return { ...all, custom_fields: { ...empty, ...row.custom_fields } };
}

function listRoute(api: Api, kind: Kind, path: string, isArchived = false): void {
  api.get(path, (c) => {
    const query = parse(state.LIST, c.req.query(), invalid);
    const { data, ...more } = page(listed(c.get('desk'), kind, isArchived, query), query);
    const rows = data.map((row) => shown(c.get('desk'), kind, row));
    return send(c, rows, more);
  });
}

function recordRoutes(api: Api, kind: Kind): void {
  const [path, body] = [`/v2/${kind}`, state.BODIES[kind]];
  const sendRow = (c: CrmContext<Account>, row: PipedriveRow, status: 200 | 201 = 200) =>
    send(c, shown(c.get('desk'), kind, row), {}, status);
  listRoute(api, kind, path);
  api.get(`${path}/:id{[0-9]+}`, (c) => sendRow(c, read(c.get('desk'), kind, c.req.param('id'))));
  if (!body) return;
  api.post(path, async (c) => {
    const values = parse(body, await bodyOf(c), invalid);
    return sendRow(c, records(c.get('desk')).create(kind, values), 201);
  });
  api.patch(`${path}/:id{[0-9]+}`, async (c) => {
    const values = parse(body.partial(), await bodyOf(c), invalid);
    return sendRow(c, records(c.get('desk')).change(kind, c.req.param('id'), values));
  });
  api.delete(`${path}/:id{[0-9]+}`, (c) => {
    records(c.get('desk')).remove(kind, c.req.param('id'));
    return send(c, { id: Number(c.req.param('id')) });
  });
}

function webhookRoutes(api: Api): void {
  const shownWebhook = ({ id, order, createdAt }: Webhook) => ({
    ...{ ...order, id: Number(id), is_active: 1, add_time: createdAt, remove_time: null },
  });
  api.get('/v1/webhooks', (c) => send(c, c.get('desk').account.webhooks.map(shownWebhook)));
  api.post('/v1/webhooks', async (c) => {
    const order = parse(state.WEBHOOK, await bodyOf(c), invalid);
    const id = String(c.get('desk').kit.nextNumber());
    return send(c, shownWebhook(addWebhook(c.get('desk'), id, order)), {}, 201);
  });
  api.delete('/v1/webhooks/:id', (c) => {
    removeWebhook(c.get('desk'), c.req.param('id'), () => refusal(404, 'Webhook not found'));
    return send(c, null);
  });
}

/** Those that each company begins with. */
const TYPES = ['call', 'meeting', 'task', 'deadline', 'email', 'lunch'].map((name) => ({ key_string: name }));

export function routes(api: Api): void {
  for (const kind of ['deals', 'persons', 'organizations', 'activities', 'pipelines', 'stages'] as const)
    recordRoutes(api, kind);
  listRoute(api, 'deals', '/v2/deals/archived', true);
  // Pipedrive also searches other members and other records.
  api.get('/v2/persons/search', (c) => {
    const term = String(parse(state.SEARCH, c.req.query(), invalid).term).toLowerCase();
    const isFound = ({ emails }: PipedriveRow) =>
      emails?.some(({ value }) => String(value).toLowerCase() === term);
    const items = c.get('desk').account.rows.persons.filter(isFound);
    return send(c, { items: items.map(({ id, name }) => ({ result_score: 1, item: { id, name } })) });
  });
  for (const kind of ['deals', 'persons'] as const)
    api.get(`/v2/${state.SINGULAR[kind]}Fields`, (c) => {
      const all = c.get('desk').account.fields[kind].map(({ key, name, type, options }) => {
        const field = { field_code: key, field_name: name, field_type: type };
        return { ...field, options: options.length > 0 ? options : null };
      });
      return send(c, all, { additional_data: { next_cursor: null } });
    });
  api.get('/v1/users', (c) => send(c, c.get('desk').account.rows.users));
  api.get('/v1/users/me', (c) => {
    const { id, domain, rows } = c.get('desk').account;
    return send(c, { ...rows.users[0], company_id: Number(id), company_domain: domain });
  });
  api.get('/v1/activityTypes', (c) => send(c, TYPES));
  webhookRoutes(api);
}
