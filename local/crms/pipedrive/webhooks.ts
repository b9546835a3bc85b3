/** `/api/v1/webhooks`, and how events are delivered: Basic auth, three retries, bans of addresses that fail. */
import { Hono } from 'hono';
import type { DeliveryRules } from '../../fakes/deliveries.ts';
import type { FakeKit } from '../../fakes/fake.ts';
import { members, nulls, parse } from '../members.ts';
import { type Row, registeredIn, retriedAfter, rowOf } from '../shared.ts';
import { invalid, refusal, timeText } from './records.ts';
import { bodyOf, type PipedriveEnvironment } from './routes.ts';
import type { Account, Webhook } from './state.ts';

const Order = members(
  `subscription_url:url! event_action:create|change|delete|* name:name! user_id:id version:2.0
  event_object:activity|deal|lead|note|organization|person|pipeline|product|stage|user|*
  http_auth_user:text? http_auth_password:text?`,
).required({ event_action: true, event_object: true });

const MAX_WEBHOOKS = 40;
const RETRIED = retriedAfter(10_000, [3_000, 30_000, 150_000]);
const BAN_SCORE = 10;
const BAN_MS = 30 * 60_000;
const REMOVED_AFTER_MS = 3 * 24 * 3_600_000;

const render = ({ id: company }: Account, { id, order, addTime }: Webhook) => ({
  ...{ ...nulls('http_auth_user http_auth_password remove_time remove_reason last_http_status'), ...order },
  ...{
    id,
    company_id: Number(company),
    owner_id: 1,
    user_id: 1,
    version: '2.0',
    is_active: 1,
    type: 'general',
  },
  add_time: addTime,
});

export function webhookRoutes(): Hono<PipedriveEnvironment> {
  const app = new Hono<PipedriveEnvironment>();
  app.get('/v1/webhooks', (c) => {
    const { account } = c.get('desk');
    return c.json({ status: 'ok', success: true, data: account.webhooks.map((one) => render(account, one)) });
  });
  app.post('/v1/webhooks', async (c) => {
    const { account, kit } = c.get('desk');
    const order = parse(Order, await bodyOf(c), invalid) as Webhook['order'];
    if (account.webhooks.length >= MAX_WEBHOOKS) throw refusal(400, 'The maximum number of webhooks is 40');
    const made = { id: kit.nextNumber(), order, addTime: timeText(kit.clock.now()) };
    const webhook: Webhook = { ...made, failingSinceMs: null, banScore: 0, bannedUntilMs: 0 };
    account.webhooks.push(webhook);
    return c.json({ status: 'ok', success: true, data: render(account, webhook) }, 201);
  });
  app.delete('/v1/webhooks/:id', (c) => {
    const { account, kit } = c.get('desk');
    const gone = rowOf(account.webhooks, c.req.param('id'), () => refusal(404, 'Webhook not found'));
    registeredIn(kit.state.accounts).remove(gone);
    kit.webhooks.resume(String(gone.id));
    return c.json({ status: 'ok', success: true });
  });
  return app;
}

export function webhookRules(kit: FakeKit<Account>): DeliveryRules {
  const { find, remove } = registeredIn(kit.state.accounts);
  return {
    ...RETRIED,
    endpoint(id) {
      const url = find(id)?.order.subscription_url;
      return url === undefined ? undefined : { id, url, sequential: false, paused: false };
    },
    headers({ id }): Record<string, string> {
      const order: Row = find(id)?.order ?? {};
      const { http_auth_user: user, http_auth_password: password } = order;
      const headers = { 'content-type': 'application/json', 'user-agent': 'Pipedrive Webhooks' };
      if (user == null) return headers;
      return {
        ...headers,
        authorization: `Basic ${Buffer.from(`${user}:${password ?? ''}`).toString('base64')}`,
      };
    },
    succeeded: ({ id }) => void Object.assign(find(id) ?? {}, { failingSinceMs: null }),
    failed(endpoint, delivery) {
      const { attempts, event } = delivery;
      const webhook = find(endpoint.id);
      const now = kit.clock.now();
      if (webhook === undefined) return 'drop';
      webhook.failingSinceMs ??= now;
      if (attempts.length === 1) webhook.banScore += 1;
      if (webhook.banScore >= BAN_SCORE) Object.assign(webhook, { banScore: 0, bannedUntilMs: now + BAN_MS });
      if (webhook.failingSinceMs + REMOVED_AFTER_MS <= now) remove(webhook);
      const body = JSON.parse(event.body);
      event.body = JSON.stringify({ ...body, meta: { ...body.meta, attempt: attempts.length + 1 } });
      return RETRIED.failed(endpoint, delivery);
    },
  };
}
