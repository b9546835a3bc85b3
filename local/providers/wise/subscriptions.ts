/** `/subscriptions` of a profile, and the rules for signing, delivering and retrying events. */
import { createHash, createSign, randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { z } from 'zod';
import { post } from '../old/post.ts';
import type { Delivery, WebhookRules } from '../old/webhook-queue.ts';
import { notFound, refusal } from './errors.ts';
import { EVENT_VERSIONS, eventBody } from './events.ts';
import { profileIn, readBody, type WiseContext, type WiseRoutes } from './requests.ts';
import type { WiseServices } from './services.ts';
import type { Account, Subscription } from './state.ts';
import { secondTime } from './times.ts';

const TIMEOUT_MS = 5000;
const MINUTE_MS = 60_000;
const KEPT_MS = 14 * 24 * 60 * MINUTE_MS;
const MAX_TRIES = 25;
/** The delay doubles up to this maximum, so that 25 attempts take two weeks. */
const LONGEST_WAIT_MS = 23 * 60 * MINUTE_MS;
const MAX_REFUSALS = 3;

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** Must be https on the default port, with a host name and no query; URLs on this machine are allowed. */
function isAllowedUrl(text: string): boolean {
  if (!URL.canParse(text) || text.includes('?')) return false;
  const { protocol, hostname, port } = new URL(text);
  if (LOOPBACK.includes(hostname)) return protocol === 'http:' || protocol === 'https:';
  return protocol === 'https:' && port === '' && isIP(hostname) === 0 && !hostname.startsWith('[');
}

const Order = z.object({
  name: z.string().min(1),
  trigger_on: z.string(),
  delivery: z.object({ version: z.string(), url: z.string() }),
});

const renderSubscription = ({ user }: Account, subscription: Subscription) => ({
  id: subscription.id,
  name: subscription.name,
  delivery: { version: subscription.version, url: subscription.url },
  trigger_on: subscription.triggerOn,
  scope: { domain: 'profile', id: String(subscription.profile) },
  created_by: { type: 'user', id: String(user) },
  created_at: secondTime(subscription.createdAtMs),
});

/** Signature headers of a body. The key belongs to the emulator. */
function signedHeaders(services: WiseServices, body: string, deliveryId: string): Record<string, string> {
  const signature = createSign('RSA-SHA256').update(body).sign(services.keys().privateKey, 'base64');
  return {
    'content-type': 'application/json',
    'user-agent': 'wise-webhooks',
    'x-signature-sha256': signature,
    'x-delivery-id': deliveryId,
  };
}

/** Sends a test notification with random ids, and checks that the endpoint accepts it. */
async function answersTest(
  services: WiseServices,
  url: string,
  triggerOn: string,
  version: string,
): Promise<boolean> {
  const resource = { type: 'transfer', id: 0, profile_id: 0, account_id: 0 };
  const occurred_at = new Date(services.now()).toISOString();
  const data = { resource, current_state: 'processing', previous_state: null, occurred_at };
  const body = eventBody({ id: randomUUID(), triggerOn, version }, data, services.now());
  const { status } = await post({
    url,
    body,
    headers: { ...signedHeaders(services, body, randomUUID()), 'x-test-notification': 'true' },
    timeoutMs: TIMEOUT_MS,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return status >= 200 && status < 300;
}

async function subscribe(
  services: WiseServices,
  account: Account,
  profile: number,
  order: z.output<typeof Order>,
): Promise<Subscription> {
  const { name, trigger_on: triggerOn, delivery } = order;
  const versions = EVENT_VERSIONS[triggerOn];
  if (versions === undefined) {
    throw refusal(400, 'INVALID_TRIGGER', 'The event cannot be subscribed to by a profile', 'trigger_on');
  }
  if (!versions.includes(delivery.version)) {
    throw refusal(
      400,
      'INVALID_VERSION',
      `The version must be one of ${versions.join(', ')}`,
      'delivery.version',
    );
  }
  const isReachable =
    isAllowedUrl(delivery.url) &&
    (!account.options.testNotification ||
      (await answersTest(services, delivery.url, triggerOn, delivery.version)));
  if (!isReachable) {
    throw refusal(400, 'INVALID_CALLBACK_URL', 'The callback URL cannot be used', 'delivery.url');
  }
  const subscription: Subscription = {
    id: randomUUID(),
    profile,
    name,
    triggerOn,
    version: delivery.version,
    url: delivery.url,
    createdAtMs: services.now(),
  };
  account.subscriptions.push(subscription);
  return subscription;
}

export function addSubscriptionRoutes(routes: WiseRoutes, services: WiseServices): void {
  const path = '/profiles/:profile/subscriptions';
  const one = (c: WiseContext): Subscription => {
    const profile = profileIn(c);
    const id = c.req.param('subscription');
    const found = c
      .get('account')
      .subscriptions.find((known) => known.id === id && known.profile === profile.id);
    if (found === undefined) throw notFound('subscription.not-found', 'Subscription not found');
    return found;
  };
  routes.on('POST', ['v3'], path, async (c) => {
    const account = c.get('account');
    const { id } = profileIn(c);
    const subscription = await subscribe(services, account, id, await readBody(c, Order));
    return c.json(renderSubscription(account, subscription));
  });
  routes.on('GET', ['v3'], path, (c) => {
    const account = c.get('account');
    const { id } = profileIn(c);
    return c.json(
      account.subscriptions
        .filter(({ profile }) => profile === id)
        .map((subscription) => renderSubscription(account, subscription)),
    );
  });
  routes.on('GET', ['v3'], `${path}/:subscription`, (c) =>
    c.json(renderSubscription(c.get('account'), one(c))),
  );
  routes.on('DELETE', ['v3'], `${path}/:subscription`, (c) => {
    const account = c.get('account');
    const { id } = one(c);
    account.subscriptions = account.subscriptions.filter((known) => known.id !== id);
    services.kit.webhooks.resume(id);
    return c.body(null, 204);
  });
}

const isRefusal = (status: number): boolean => status >= 400 && status < 500;

/** The delay in `Retry-After`, which is a number of seconds or a date. */
function askedWaitMs(retryAfter: string | null, nowMs: number): number | undefined {
  if (retryAfter === null) return undefined;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(date - nowMs, 0);
}

/** A UUID derived from the text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export function webhookRules(services: WiseServices): WebhookRules {
  const owner = (id: string): { account: Account; subscription: Subscription } | undefined => {
    for (const account of Object.values(services.kit.state.accounts)) {
      const subscription = account.subscriptions.find((known) => known.id === id);
      if (subscription !== undefined) return { account, subscription };
    }
    return undefined;
  };
  const deliveryId = ({ id, endpoint, event, attempts }: Delivery): string =>
    owner(endpoint)?.account.options.deliveryIds === 'attempt'
      ? uuidOf(`${event.id} ${id} ${attempts.length}`)
      : uuidOf(`${event.id} ${id}`);

  return {
    timeoutMs: TIMEOUT_MS,
    keepMs: KEPT_MS,
    endpoint(id) {
      const url = owner(id)?.subscription.url;
      return url === undefined ? undefined : { id, url, sequential: false, paused: false };
    },
    headers: (_, delivery) => signedHeaders(services, delivery.event.body, deliveryId(delivery)),
    isDelivered: (status) => status >= 200 && status < 300,
    failed(_, { attempts }) {
      const last = attempts.at(-1);
      const refusals = attempts.filter(({ status }) => isRefusal(status)).length;
      if (attempts.length >= MAX_TRIES || refusals >= MAX_REFUSALS) return 'drop';
      const scheduledMs = Math.min(MINUTE_MS * 2 ** (attempts.length - 1), LONGEST_WAIT_MS);
      return { retryInMs: askedWaitMs(last?.retryAfter ?? null, services.now()) ?? scheduledMs };
    },
  };
}
