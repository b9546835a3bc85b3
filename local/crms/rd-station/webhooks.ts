/** `/webhooks`, and how events are delivered: a header of the registration, five retries, suspension. */
import { randomUUID } from 'node:crypto';
import type { Hono } from 'hono';
import type { DeliveryRules } from '../../fakes/deliveries.ts';
import type { FakeKit } from '../../fakes/fake.ts';
import { parse } from '../members.ts';
import { registeredIn, retriedAfter, rowOf } from '../shared.ts';
import { pageOf } from './lists.ts';
import { invalid, refusal } from './records.ts';
import { dataOf, type Environment } from './routes.ts';
import { type Account, type RdRow, WEBHOOK, type Webhook } from './state.ts';

const EVENTS =
  /^crm_(campaign|contact|deal|lost_reason|organization|product|source|task)_(created|updated|deleted)$/;

export function webhookRoutes(app: Hono<Environment>): void {
  const render = ({ id, order, status, createdAt }: Webhook) => {
    const { auth_key: _, auth_header: __, ...rest } = order;
    return { id, name: null, ...rest, status, created_at: createdAt, updated_at: createdAt };
  };
  app.get('/webhooks', (c) => {
    const rows = c.get('desk').account.webhooks.map((webhook): RdRow => render(webhook));
    return c.json(pageOf('users', rows, new URL(c.req.url), (row) => row));
  });
  app.get('/webhooks/:id', (c) => {
    const missing = () => refusal(404, 'webhook not found');
    return c.json({ data: render(rowOf(c.get('desk').account.webhooks, c.req.param('id'), missing)) });
  });
  app.post('/webhooks', async (c) => {
    const { account, kit } = c.get('desk');
    const order = parse(WEBHOOK, await dataOf(c), invalid) as Webhook['order'];
    if (!EVENTS.test(order.event_name)) throw invalid('event_name is not included in the list');
    const createdAt = new Date(kit.clock.now()).toISOString();
    const webhook: Webhook = { id: randomUUID(), order, status: 'active', createdAt, failures: 0 };
    account.webhooks.push(webhook);
    return c.json({ data: render(webhook) }, 201);
  });
  app.delete('/webhooks/:id', (c) => {
    const { account, kit } = c.get('desk');
    const gone = rowOf(account.webhooks, c.req.param('id'), () => refusal(404, 'webhook not found'));
    registeredIn(kit.state.accounts).remove(gone);
    kit.webhooks.resume(gone.id);
    return c.body(null, 204);
  });
}

const MINUTE_MS = 60_000;
const RETRIED = retriedAfter(
  5000,
  [1, 5, 15, 30, 60].map((minutes) => minutes * MINUTE_MS),
);
const SUSPENDED_AFTER = 10;

export function webhookRules(kit: FakeKit<Account>): DeliveryRules {
  const { find } = registeredIn(kit.state.accounts);
  return {
    ...RETRIED,
    endpoint(id) {
      const webhook = find(id);
      return webhook && { id, url: webhook.order.url, sequential: false, paused: false };
    },
    headers({ id }): Record<string, string> {
      const order: Partial<Webhook['order']> = find(id)?.order ?? {};
      const { auth_header: name, auth_key: key } = order;
      return { 'content-type': 'application/json', ...(name && key !== undefined && { [name]: key }) };
    },
    succeeded: ({ id }) => void Object.assign(find(id) ?? {}, { failures: 0 }),
    failed(endpoint, delivery) {
      const next = RETRIED.failed(endpoint, delivery);
      const webhook = find(endpoint.id);
      if (next === 'drop' && webhook && ++webhook.failures >= SUSPENDED_AFTER) webhook.status = 'suspended';
      return next;
    },
  };
}
