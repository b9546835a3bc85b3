/** API v2 of records and fields, and API v1 of users. Unknown and malformed parameters are refused. */
import { type Context, Hono } from 'hono';
import type { FakeEnvironment } from '../../fakes/fake.ts';
import { parse } from '../members.ts';
import { compareValues, decodeCursor, encodeCursor, type Row } from '../shared.ts';
import { type Desk, invalid, refusal } from './records.ts';
import { BODIES, type Kind, type PipedriveRow, QUERIES, SEARCH, SINGULAR } from './state.ts';

export type PipedriveEnvironment = FakeEnvironment & { Variables: { desk: Desk } };
export type PipedriveContext = Context<PipedriveEnvironment>;

export async function bodyOf(c: PipedriveContext): Promise<unknown> {
  const isJson = c.req.header('content-type')?.startsWith('application/json');
  return isJson ? c.req.json().catch(() => null) : null;
}

/** The page after a cursor, which contains the values by which the last record was sorted. */
function page(rows: PipedriveRow[], query: Row) {
  const { sort_by: by = 'id', sort_direction: direction, limit = 100, cursor } = query;
  const member = String(by);
  const order = (one: Row, other: Row): number =>
    (compareValues(one[member], other[member]) || compareValues(one.id, other.id)) *
    (direction === 'desc' ? -1 : 1);
  const last = cursor === undefined ? undefined : decodeCursor(String(cursor));
  if (cursor !== undefined && (typeof last !== 'object' || last === null)) throw invalid('cursor');
  const found = rows.filter((row) => last === undefined || order(row, last as Row) > 0).sort(order);
  const data = found.slice(0, Number(limit));
  const end = data.at(-1);
  const next = end && found.length > data.length ? encodeCursor({ [member]: end[member], id: end.id }) : null;
  return { success: true, data, additional_data: { next_cursor: next } };
}

/** Records that match the filters; Pipedrive has more, which are refused here. Archived ones never do, deleted ones only if their status is asked for. */
function listed({ account }: Desk, kind: Kind, query: Row): PipedriveRow[] {
  const statuses = query.status === undefined ? undefined : String(query.status).split(',');
  const ids = query.ids === undefined ? undefined : String(query.ids).split(',').map(Number);
  const since = Date.parse(String(query.updated_since));
  return account.rows[kind].filter((row) => {
    const status = row.is_deleted === true ? 'deleted' : String(row.status);
    return (
      row.is_archived !== true &&
      (statuses?.includes(status) ?? row.is_deleted !== true) &&
      (ids?.includes(row.id) ?? true) &&
      (query.done ?? String(row.done)) === String(row.done) &&
      (Number.isNaN(since) || Date.parse(String(row.update_time)) >= since)
    );
  });
}

/** A record with the custom fields that are asked for, all by default. Without a value they are null. */
function shown(
  { account }: Desk,
  kind: Kind,
  row: PipedriveRow,
  { custom_fields: asked }: Row,
): PipedriveRow {
  if (kind !== 'deals' && kind !== 'persons') return row;
  const keys = asked === undefined ? undefined : String(asked).split(',');
  if (keys && keys.length > 15) throw invalid('custom_fields: at most 15 keys');
  const fields = account.fields[kind].filter(({ key }) => keys?.includes(key) ?? true);
  const values = row.custom_fields as Row;
  return { ...row, custom_fields: Object.fromEntries(fields.map(({ key }) => [key, values[key] ?? null])) };
}

/** Persons by name, emails and phones. Pipedrive also searches other records, here that is 404. */
function searchPersons({ account }: Desk, given: Row) {
  const query: Row = parse(SEARCH, given, invalid);
  const { fields, exact_match: exact, limit = 100, cursor } = query;
  const term = String(query.term).toLowerCase();
  if (term.length < (exact === 'true' ? 1 : 2)) throw invalid('term is too short');
  const textsOf = ({ name, emails, phones }: PipedriveRow): Record<string, string[]> => {
    const [email, phone] = [emails, phones].map((list) => (list as Row[]).map(({ value }) => String(value)));
    return { name: [String(name)], email: email ?? [], phone: phone ?? [] };
  };
  const found = account.rows.persons.filter((row) => {
    const texts = textsOf(row);
    const names = fields === undefined ? Object.keys(texts) : String(fields).split(',');
    const words = names.flatMap((name) => texts[name] ?? []).map((text) => text.toLowerCase());
    const isFound = words.some((word) => (exact === 'true' ? word === term : word.includes(term)));
    return row.is_deleted !== true && isFound;
  });
  const from = cursor === undefined ? 0 : Number(decodeCursor(String(cursor)));
  const end = from + Number(limit);
  const items = found.slice(from, end).map((row) => {
    const { email: emails, phone: phones } = textsOf(row);
    const item = { id: row.id, type: 'person', name: row.name, emails, phones, owner: { id: row.owner_id } };
    return { result_score: 1, item };
  });
  const next = found.length > end ? encodeCursor(end) : null;
  return { success: true, data: { items }, additional_data: { next_cursor: next } };
}

function recordRoutes(app: Hono<PipedriveEnvironment>, kind: Kind): void {
  const [query, body] = [QUERIES[kind], BODIES[kind]];
  const path = `/v2/${kind}`;
  const send = (c: PipedriveContext, row: PipedriveRow, status: 200 | 201 = 200) =>
    c.json({ success: true, data: shown(c.get('desk'), kind, row, c.req.query()) }, status);
  if (query)
    app.get(path, (c) => {
      const asked = parse(query, c.req.query(), invalid);
      const found = page(listed(c.get('desk'), kind, asked), asked);
      return c.json({ ...found, data: found.data.map((row) => shown(c.get('desk'), kind, row, asked)) });
    });
  app.get(`${path}/:id{[0-9]+}`, (c) => send(c, c.get('desk').read(kind, c.req.param('id'))));
  if (!body) return;
  const [required = ''] = Object.keys(body.shape);
  app.post(path, async (c) => {
    const values: Row = parse(body, await bodyOf(c), invalid);
    if (!(required in values)) throw invalid(`${required} is required`);
    return send(c, c.get('desk').create(kind, values), 201);
  });
  app.patch(`${path}/:id{[0-9]+}`, async (c) => {
    const { id, is_deleted: isDeleted } = c.get('desk').read(kind, c.req.param('id'));
    if (isDeleted) throw refusal(404, `${SINGULAR[kind]} not found`, { code: 'NOT_FOUND' });
    return send(c, c.get('desk').change(kind, id, parse(body, await bodyOf(c), invalid)));
  });
  app.delete(`${path}/:id{[0-9]+}`, (c) => {
    c.get('desk').remove(kind, c.req.param('id'));
    return c.json({ success: true, data: { id: Number(c.req.param('id')) } });
  });
}

export function routes(): Hono<PipedriveEnvironment> {
  const app = new Hono<PipedriveEnvironment>();
  const kinds = ['deals', 'persons', 'organizations', 'activities', 'pipelines', 'stages'] as const;
  for (const kind of kinds) recordRoutes(app, kind);
  app.get('/v2/persons/search', (c) => c.json(searchPersons(c.get('desk'), c.req.query())));
  for (const kind of ['deals', 'persons'] as const)
    app.get(`/v2/${SINGULAR[kind]}Fields`, (c) => {
      const data = c.get('desk').account.fields[kind].map(({ key, name, type, options }) => {
        const field = { field_code: key, field_name: name, field_type: type, is_custom_field: true };
        return { ...field, options: options.length > 0 ? options : null };
      });
      return c.json({ success: true, data, additional_data: { next_cursor: null } });
    });
  const user = (row: Row) => ({ ...row, timezone_name: 'America/Sao_Paulo', timezone_offset: '-03:00' });
  app.get('/v1/users', (c) => c.json({ success: true, data: c.get('desk').account.rows.users.map(user) }));
  app.get('/v1/users/me', (c) => {
    const { id, domain, rows } = c.get('desk').account;
    const company = { company_id: Number(id), company_domain: domain, company_name: domain, is_you: true };
    return c.json({ success: true, data: { ...user(rows.users[0] ?? {}), ...company } });
  });
  app.get('/v1/activityTypes', (c) =>
    c.json({
      success: true,
      data: ACTIVITY_TYPES.map((name, place) => ({
        ...{ id: place + 1, name, key_string: name, icon_key: name, order_nr: place },
        ...{ active_flag: true, is_custom_flag: false },
      })),
    }),
  );
  return app;
}

/** Types that each company begins with. */
const ACTIVITY_TYPES = ['call', 'meeting', 'task', 'deadline', 'email', 'lunch'];
