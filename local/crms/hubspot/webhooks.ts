/** Webhooks of an app, which a person configures with the file `webhooks-hsmeta.json`. Events are sent in signed batches. */
import { createHmac, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { DeliveryRules } from '../../fakes/deliveries.ts';
import type { FakeKit } from '../../fakes/fake.ts';
import { parse } from '../members.ts';
import { retriedAfter } from '../shared.ts';
import { invalid } from './errors.ts';
import type { Desk } from './objects.ts';
import { type Account, KINDS } from './state.ts';

const VERBS = ['creation', 'deletion', 'propertyChange', 'merge', 'restore', 'associationChange'];
const objectTypes = Object.entries(KINDS).flatMap(([kind, { singular, typeId }]) => [kind, singular, typeId]);
const ToObjects = z.object({
  ...{ propertyName: z.string().optional(), active: z.boolean().default(true) },
  subscriptionType: z.enum(VERBS.map((verb) => `object.${verb}`)),
  objectType: z.enum(objectTypes),
});
const Meta = z.object({
  ...{ uid: z.string().min(1), type: z.literal('webhooks') },
  config: z.object({
    settings: z.object({
      targetUrl: z.url({ protocol: /^https?$/ }),
      maxConcurrentRequests: z.int().optional(),
    }),
    subscriptions: z.object({
      crmObjects: z.array(ToObjects).default([]),
      // HubSpot has such subscriptions for older apps, such as `contact.creation`.
      legacyCrmObjects: z.array(z.never()).default([]),
    }),
  }),
});

/** Configures the app. @param meta the file's content, as text or parsed */
export function configure({ account, kit }: Desk, meta: unknown): void {
  if (account.clientSecret === null) throw invalid('a service key has no webhooks');
  const { settings, subscriptions } = parse(
    Meta,
    typeof meta === 'string' ? JSON.parse(meta) : meta,
    invalid,
  ).config;
  const all = subscriptions.crmObjects.filter(({ active }) => active);
  const incomplete = all.find((one) => one.subscriptionType.endsWith('propertyChange') && !one.propertyName);
  if (incomplete) throw invalid(`${incomplete.subscriptionType} needs a propertyName`);
  account.app = {
    targetUrl: settings.targetUrl,
    subscriptions: all.map(({ active: _, ...one }) => ({ ...one, id: kit.nextNumber() })),
  };
}

const BATCH = 100;

/** Sends what waits, in batches. */
export function flush(kit: FakeKit<Account>, account: Account): void {
  const events = account.pending.splice(0);
  for (let from = 0; from < events.length; from += BATCH) {
    const batch = events.slice(from, from + BATCH);
    const names = new Set(batch.map(({ subscriptionType }) => String(subscriptionType)));
    const event = {
      id: randomUUID(),
      name: [...names].join(','),
      account: account.id,
      body: JSON.stringify(batch),
    };
    if (account.app) kit.webhooks.publish(event, [account.id]);
  }
}

const MINUTE_MS = 60_000;
/** Ten retries within 24 hours. */
const RETRIED = retriedAfter(
  5000,
  [1, 3, 10, 30, 60, 120, 180, 240, 300, 360].map((minutes) => minutes * MINUTE_MS),
);

/** HubSpot decodes these characters of the URL before it signs. */
const DECODED: Record<string, string> = {
  ...{ '%3A': ':', '%2F': '/', '%3F': '?', '%40': '@', '%21': '!', '%24': '$', '%27': "'", '%28': '(' },
  ...{ '%29': ')', '%2A': '*', '%2C': ',', '%3B': ';' },
};
const decoded = (url: string): string =>
  url.replace(/%[0-9a-f]{2}/gi, (text) => DECODED[text.toUpperCase()] ?? text);

export const webhookRules = (kit: FakeKit<Account>): DeliveryRules => ({
  ...RETRIED,
  endpoint(id) {
    const url = kit.state.accounts[id]?.app?.targetUrl;
    return url === undefined ? undefined : { id, url, sequential: false, paused: false };
  },
  headers({ id, url }, { event }) {
    const timestamp = String(kit.clock.now());
    const text = `POST${decoded(url)}${event.body}${timestamp}`;
    const secret = kit.state.accounts[id]?.clientSecret ?? '';
    return {
      'content-type': 'application/json',
      'x-hubspot-request-timestamp': timestamp,
      'x-hubspot-signature-v3': createHmac('sha256', secret).update(text).digest('base64'),
    };
  },
  failed(endpoint, delivery) {
    const events: object[] = JSON.parse(delivery.event.body);
    const attemptNumber = delivery.attempts.length;
    delivery.event.body = JSON.stringify(events.map((event) => ({ ...event, attemptNumber })));
    return RETRIED.failed(endpoint, delivery);
  },
});
