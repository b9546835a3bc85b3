/** Records and webhooks. Bodies are `{"data": {...}}`. RD accepts more members, which are refused here. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { addWebhook, bodyOf, type CrmApp, type CrmContext, removeWebhook } from '../frame.ts';
import { members, parse } from '../members.ts';
import { type Row, rowOf, type Webhook } from '../records.ts';
import { pageOf } from './lists.ts';
import { type EventMember, invalid, records, refusal, webhookMembers } from './records.ts';
import { type Account, CREATED_AS, type Kind, kinds, LISTS, type Listed, type RdRow } from './state.ts';

type Api = CrmApp<Account>;

const Emails = z.array(members('email:text!')).optional();
const Phones = z.array(members('phone:text! type:work|fax|home|mobile')).optional();

/** Writable members by kind. */
const BODIES: Partial<Record<Kind, z.ZodObject>> = {
  contacts: members('name:name! job_title:text? custom_fields:map', { emails: Emails, phones: Phones }),
  deals: members(
    `name:name! one_time_price:number stage_id:text status:won|lost|ongoing|paused owner_id:text? lost_reason_id:text? contact_ids:texts
    expected_close_date:day? custom_fields:map`,
  ),
  tasks: members(
    'name:name! type:call|email|meeting|task|lunch|visit|whatsapp status:open|completed|canceled deal_id:text?',
  ),
};

const hook = (event: EventMember) =>
  members(`${event}:text! url:url! http_method:POST! name:text auth_header:text auth_key:text`);

async function dataOf(c: CrmContext<Account>): Promise<unknown> {
  const body = await bodyOf(c);
  if (typeof body === 'object' && body !== null && 'data' in body) return body.data;
  throw refusal(400, 'the body must be {"data": {...}}');
}

const BY_CHANGE: Listed = { filters: 'updated_at', sorts: 'updated_at' };

function listRoute(api: Api, path: string, list: Listed, rowsOf: (account: Account, id: string) => RdRow[]) {
  api.get(path, (c) => {
    const rows = rowsOf(c.get('desk').account, c.req.param('id') ?? '');
    const isByChange = c.get('desk').account.options.listsByChange && 'updated_at' in (rows[0] ?? {});
    return c.json(pageOf(isByChange ? BY_CHANGE : list, rows, new URL(c.req.url)));
  });
}

function recordRoutes(api: Api, kind: Kind): void {
  const body = BODIES[kind];
  listRoute(api, `/${kind}`, LISTS[kind], ({ rows }) => rows[kind]);
  api.get(`/${kind}/:id`, (c) => c.json({ data: records(c.get('desk')).find(kind, c.req.param('id')) }));
  if (!body) return;
  api.post(`/${kind}`, async (c) => {
    const values: Row = parse(body, await dataOf(c), invalid);
    const { status = CREATED_AS[kind] } = values;
    if (status !== CREATED_AS[kind]) throw invalid('status is not valid at creation');
    return c.json({ data: records(c.get('desk')).create(kind, values) }, 201);
  });
  api.put(`/${kind}/:id`, async (c) => {
    const values = parse(body.partial(), await dataOf(c), invalid);
    return c.json({ data: records(c.get('desk')).change(kind, c.req.param('id'), values) });
  });
}

function webhookRoutes(api: Api): void {
  const shown = ({ id, order: { event_name, event_type, url }, status }: Webhook) => ({
    ...{ id, url, status },
    ...(event_name === undefined ? { event_type } : { event_name }),
  });
  listRoute(api, '/webhooks', { filters: '', sorts: '' }, ({ webhooks }) => webhooks.map(shown));
  api.post('/webhooks', async (c) => {
    const { event } = webhookMembers(c.get('desk').account);
    const order = parse(hook(event), await dataOf(c), invalid);
    return c.json({ data: shown(addWebhook(c.get('desk'), randomUUID(), order)) }, 201);
  });
  api.delete('/webhooks/:id', (c) => {
    removeWebhook(c.get('desk'), c.req.param('id'), () => refusal(404, 'webhook not found'));
    return c.body(null, 204);
  });
}

export function routes(api: Api): void {
  for (const kind of kinds) if (kind !== 'stages') recordRoutes(api, kind);
  listRoute(api, '/pipelines/:id/stages', LISTS.stages, ({ rows }, id) => {
    rowOf(rows.pipelines, id, () => refusal(404, 'pipelines: not found'));
    return rows.stages.filter(({ pipeline_id: pipeline }) => pipeline === id);
  });
  webhookRoutes(api);
}
