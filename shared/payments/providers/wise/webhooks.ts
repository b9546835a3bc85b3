// Our webhook subscriptions at Wise: one per event type, all with the same URL.

import type { WebhookOrder, WebhookReport } from '../accounts.ts';
import { isSameCallback } from '../callback-url.ts';
import { ProviderRejected } from '../errors.ts';
import { type WiseClient, wiseRejection } from './client.ts';
import { type Subscription, subscriptionSchema, subscriptionsSchema } from './wire.ts';

/** Version of the event format, which Wise numbers separately from its API. */
const EVENT_VERSION = '4.0.0';
const STATE_CHANGE = 'transfers#state-change';
/** The other types only add details to a state change, so they are optional for accounts that cannot subscribe to them. */
const triggers = [STATE_CHANGE, 'transfers#payout-failure', 'transfers#refund'];

/** Creates missing subscriptions and deletes obsolete ones. Wise calls the URL while subscribing, so it must already respond. */
export async function ensureWebhook(
  wise: WiseClient,
  { url, reference }: WebhookOrder,
): Promise<WebhookReport> {
  const ours = await listOwn(wise, { url, reference });
  const kept = new Map<string, Subscription>();
  for (const subscription of ours) {
    const { id, trigger_on: trigger, delivery } = subscription;
    const isCurrent =
      delivery.url === url && delivery.version === EVENT_VERSION && triggers.includes(trigger);
    if (isCurrent && !kept.has(trigger)) kept.set(trigger, subscription);
    else await unsubscribe(wise, id);
  }
  for (const trigger of triggers) {
    if (kept.has(trigger)) continue;
    try {
      kept.set(trigger, await subscribe(wise, trigger, url));
    } catch (error) {
      if (trigger === STATE_CHANGE || !(error instanceof ProviderRejected)) throw error;
      wise.log.warn('Wise rejected an optional webhook subscription', { trigger, reason: error.message });
    }
  }
  return { reference: kept.get(STATE_CHANGE)?.id ?? '', state: 'active', secret: undefined };
}

export async function removeWebhook(wise: WiseClient, order: WebhookOrder): Promise<void> {
  for (const { id } of await listOwn(wise, order)) await unsubscribe(wise, id);
}

const pathOf = (wise: WiseClient): string => `/profiles/${wise.profileId}/subscriptions`;

async function listOwn(
  wise: WiseClient,
  { url, reference }: Pick<WebhookOrder, 'url' | 'reference'>,
): Promise<Subscription[]> {
  const all = await wise.ask(subscriptionsSchema, { method: 'GET', path: pathOf(wise) });
  return all.filter(({ id, delivery }) => isSameCallback(delivery.url, url) || id === reference);
}

const subscribe = (wise: WiseClient, trigger: string, url: string): Promise<Subscription> =>
  wise.ask(subscriptionSchema, {
    method: 'POST',
    path: pathOf(wise),
    body: { name: `Placar ${trigger}`, trigger_on: trigger, delivery: { version: EVENT_VERSION, url } },
  });

async function unsubscribe(wise: WiseClient, id: string): Promise<void> {
  const answer = await wise.call({ method: 'DELETE', path: `${pathOf(wise)}/${id}` });
  if (answer.status >= 300 && answer.status !== 404) throw wiseRejection(answer);
}
