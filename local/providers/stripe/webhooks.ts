/** `/v1/webhook_endpoints` and `/v1/events`, and the rules for signing, delivering and retrying events. */
import { createHmac } from 'node:crypto';
import { Hono } from 'hono';
import { z } from 'zod';
import type { DeliveryRules } from '../../fakes/deliveries.ts';
import { find, newId } from './desk.ts';
import { answer, Bool, LIST, listOf, page, read, type StripeApp, Text, Url } from './requests.ts';
import type { Account, WebhookEndpoint } from './state.ts';

/** Events that endpoints can subscribe to. Others than these exist. */
const EVENTS = Object.entries({
  charge: 'captured expired failed pending refunded succeeded updated',
  'charge.dispute': 'closed created funds_reinstated funds_withdrawn updated',
  'checkout.session': 'async_payment_failed async_payment_succeeded completed expired',
  customer_cash_balance_transaction: 'created',
  payment_intent: 'canceled created partially_funded payment_failed processing requires_action succeeded',
  refund: 'created failed updated',
  account: 'updated',
}).flatMap(([prefix, names]) => names.split(' ').map((name) => `${prefix}.${name}`));

const EventName = z.enum(EVENTS);
const MAX_EVENT_TYPES = 20;

export function webhookRoutes(): StripeApp {
  const app: StripeApp = new Hono();
  app.post('/webhook_endpoints', (c) => {
    const { account, now } = c.get('desk');
    const order = read(c, {
      url: Url,
      enabled_events: listOf(EventName),
      api_version: Text,
      description: z.string(),
    });
    const { expand: _, ...members } = order;
    const id = newId('we');
    const about = { id, object: 'webhook_endpoint', created: now(), status: 'enabled' } as const;
    const endpoint: WebhookEndpoint = { ...about, ...members };
    account.endpoints.push(endpoint);
    const secret = newId('whsec', 32);
    account.secrets[id] = secret;
    return answer(c, { ...endpoint, secret });
  });
  app.get('/webhook_endpoints', (c) => page(c, c.get('desk').account.endpoints, read(c, LIST)));
  app.post('/webhook_endpoints/:id', (c) => {
    const endpoint = find(c.get('desk').account.endpoints, c.req.param('id'), 'webhook endpoint');
    const { url, enabled_events, disabled } = read(c, {
      url: Url.optional(),
      enabled_events: listOf(EventName).optional(),
      disabled: Bool.optional(),
    });
    if (url !== undefined) endpoint.url = url;
    if (enabled_events !== undefined) endpoint.enabled_events = enabled_events;
    if (disabled !== undefined) endpoint.status = disabled ? 'disabled' : 'enabled';
    c.get('desk').kit.webhooks.resume(endpoint.id);
    return answer(c, endpoint);
  });
  app.delete('/webhook_endpoints/:id', (c) => {
    const { account, kit } = c.get('desk');
    const { id } = find(account.endpoints, c.req.param('id'), 'webhook endpoint');
    account.endpoints = account.endpoints.filter((one) => one.id !== id);
    delete account.secrets[id];
    kit.webhooks.resume(id);
    return c.json({ id, object: 'webhook_endpoint', deleted: true });
  });
  app.get('/events', (c) => {
    const { type, types, ...paging } = read(c, {
      ...LIST,
      type: EventName.optional(),
      types: listOf(EventName).pipe(z.array(EventName).max(MAX_EVENT_TYPES)).optional(),
    });
    const found = c
      .get('desk')
      .account.events.filter(
        (event) => (type ?? event.type) === event.type && (types ?? [event.type]).includes(event.type),
      );
    return page(c, found, paging);
  });
  return app;
}

const MINUTE_MS = 60_000;
/** Three retries over some hours with a test key. The exact delays are not published. */
const WAITS_MS = [5 * MINUTE_MS, 30 * MINUTE_MS, 120 * MINUTE_MS];
const OLD_S = 10 * 60;

export function webhookRules(accounts: () => Account[]): DeliveryRules {
  const ownerOf = (id: string): Account | undefined =>
    accounts().find(({ endpoints }) => endpoints.some((endpoint) => endpoint.id === id));
  return {
    timeoutMs: 10_000,
    keepMs: 3 * 24 * 60 * MINUTE_MS,
    endpoint(id) {
      const known = ownerOf(id)?.endpoints.find((endpoint) => endpoint.id === id);
      return known && { id, url: known.url, sequential: false, paused: known.status === 'disabled' };
    },
    headers({ id }, { event: { body } }) {
      const owner = ownerOf(id);
      const defect = owner?.options.signatures;
      const secret = defect === 'wrong' ? 'whsec_wrong' : (owner?.secrets[id] ?? '');
      // The receiver uses the real clock, not the fake's.
      const timestamp = Math.floor(Date.now() / 1000) - (defect === 'old' ? OLD_S : 0);
      const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
      return {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
        'stripe-signature': `t=${timestamp},v1=${signature}`,
      };
    },
    isDelivered: (status) => status >= 200 && status < 300,
    failed(_, { attempts }) {
      const retryInMs = WAITS_MS[attempts.length - 1];
      return retryInMs === undefined ? 'drop' : { retryInMs };
    },
  };
}
