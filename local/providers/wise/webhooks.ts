/** `/subscriptions` of a profile, and the rules for signing, delivering and retrying events. */
import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { z } from 'zod';
import type { DeliveryRules } from '../../fakes/deliveries.ts';
import type { FakeKit } from '../../fakes/fake.ts';
import { post } from '../../fakes/post.ts';
import { type Desk, eventBody, find, refusal, timeText } from './desk.ts';
import { deskIn, readBody, type WiseApp } from './requests.ts';
import type { Account, Subscription } from './state.ts';

const TIMEOUT_MS = 5000;
const MINUTE_MS = 60_000;
const MAX_TRIES = 25;
/** The delay doubles up to this maximum, so that 25 attempts take two weeks. */
const LONGEST_WAIT_MS = 23 * 60 * MINUTE_MS;
const MAX_REFUSALS = 3;

/** Events that a profile can subscribe to, with versions. Others exist. */
const EVENT_VERSIONS: Record<string, string[]> = {
  'transfers#state-change': ['2.0.0', '3.0.0', '4.0.0'],
  'transfers#payout-failure': ['2.0.0', '4.0.0'],
  'transfers#refund': ['1.0.0', '4.0.0'],
  'balances#update': ['2.0.0', '3.0.0', '4.0.0'],
};

const Order = z.strictObject({
  name: z.string().min(1),
  trigger_on: z.string(),
  delivery: z.strictObject({ version: z.string(), url: z.url() }),
});

const renderSubscription = ({ id, version, url, triggerOn }: Subscription) => ({
  id,
  delivery: { version, url },
  trigger_on: triggerOn,
});

/** PEM of the event signing keys, which belong to the fake. */
export function keysOf({ state: { keys } }: FakeKit<Account>): { privateKey: string; publicKey: string } {
  if (keys.public === undefined || keys.private === undefined) {
    const pair = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    keys.public = pair.publicKey;
    keys.private = pair.privateKey;
  }
  return { publicKey: keys.public, privateKey: keys.private };
}

const signedHeaders = (kit: FakeKit<Account>, body: string, deliveryId: string) => ({
  'content-type': 'application/json',
  'user-agent': 'wise-webhooks',
  'x-signature-sha256': createSign('RSA-SHA256').update(body).sign(keysOf(kit).privateKey, 'base64'),
  'x-delivery-id': deliveryId,
});

/** Sends a test notification, and checks that the endpoint accepts it. */
async function answersTest(
  { kit, now }: Desk,
  triggerOn: string,
  { version, url }: { version: string; url: string },
): Promise<boolean> {
  const resource = { type: 'transfer', id: 0, profile_id: 0, account_id: 0 };
  const data = { resource, current_state: 'processing', occurred_at: timeText(now()) };
  const body = eventBody({ id: randomUUID(), triggerOn, version }, data, now());
  const headers = { ...signedHeaders(kit, body, randomUUID()), 'x-test-notification': 'true' };
  const { status } = await post(url, { body, headers, timeoutMs: TIMEOUT_MS });
  return status >= 200 && status < 300;
}

export function subscriptionRoutes(): WiseApp {
  const app: WiseApp = new Hono();
  const path = '/profiles/:profile/subscriptions';
  app.post(path, async (c) => {
    const desk = deskIn(c);
    const { trigger_on: triggerOn, delivery } = await readBody(c, Order);
    if (!EVENT_VERSIONS[triggerOn]?.includes(delivery.version))
      throw refusal(400, 'INVALID_TRIGGER', 'The event or its version does not exist', 'trigger_on');
    if (!(await answersTest(desk, triggerOn, delivery)))
      throw refusal(400, 'INVALID_CALLBACK_URL', 'The callback URL cannot be used', 'delivery.url');
    const subscription: Subscription = { id: randomUUID(), triggerOn, ...delivery };
    desk.account.subscriptions.push(subscription);
    return c.json(renderSubscription(subscription));
  });
  app.get(path, (c) => c.json(deskIn(c).account.subscriptions.map(renderSubscription)));
  app.delete(`${path}/:id`, (c) => {
    const { account, kit } = deskIn(c);
    const { id } = find(account.subscriptions, c.req.param('id'), 'subscription');
    account.subscriptions = account.subscriptions.filter((known) => known.id !== id);
    kit.webhooks.resume(id);
    return c.body(null, 204);
  });
  return app;
}

export const webhookRules = (kit: FakeKit<Account>): DeliveryRules => ({
  timeoutMs: TIMEOUT_MS,
  keepMs: 14 * 24 * 60 * MINUTE_MS,
  endpoint(id) {
    const all = Object.values(kit.state.accounts).flatMap(({ subscriptions }) => subscriptions);
    const known = all.find((subscription) => subscription.id === id);
    return known && { id, url: known.url, sequential: false, paused: false };
  },
  headers: (_, { event }) => signedHeaders(kit, event.body, event.id),
  isDelivered: (status) => status >= 200 && status < 300,
  failed(_, { attempts }) {
    const refusals = attempts.filter((status) => status >= 400 && status < 500).length;
    if (attempts.length >= MAX_TRIES || refusals >= MAX_REFUSALS) return 'drop';
    return { retryInMs: Math.min(MINUTE_MS * 2 ** (attempts.length - 1), LONGEST_WAIT_MS) };
  },
});
