// Our subscriptions at Wise: one for each kind of event, all at one address.
import { ProviderRejected, type WebhookOrder, type WebhookReport } from '../provider.ts';
import { refusalOf, type WiseClient } from './client.ts';
import { type Subscription, subscriptionSchema, subscriptionsSchema } from './wire.ts';

/** The form of the events' bodies, which has a version of its own. */
const EVENT_VERSION = '4.0.0';
const STATE_CHANGE = 'transfers#state-change';
/** The others say more of what a change of state says as well: an account that may not have them does without. */
const triggers = [STATE_CHANGE, 'transfers#payout-failure', 'transfers#refund'];

/** Wise calls the address when it is subscribed: it must answer. */
export async function ensureWebhook(
  wise: WiseClient,
  { url, reference }: WebhookOrder,
  signal: AbortSignal,
): Promise<WebhookReport> {
  const ours = (await listSubscriptions(wise, signal)).filter(
    ({ id, delivery }) => delivery.url === url || id === reference,
  );
  const kept = new Map<string, Subscription>();
  for (const one of ours) {
    const { trigger_on: trigger, delivery } = one;
    const fits = delivery.url === url && delivery.version === EVENT_VERSION && triggers.includes(trigger);
    if (fits && !kept.has(trigger)) kept.set(trigger, one);
    else await unsubscribe(wise, one.id, signal);
  }
  for (const trigger of triggers) {
    if (kept.has(trigger)) continue;
    try {
      kept.set(trigger, await subscribe(wise, trigger, url, signal));
    } catch (error) {
      if (trigger === STATE_CHANGE || !(error instanceof ProviderRejected)) throw error;
      wise.log.warn('wise sends this account no events of a kind', { trigger, words: error.message });
    }
  }
  return { reference: kept.get(STATE_CHANGE)?.id ?? '', state: 'active', secret: undefined };
}

export async function removeWebhook(
  wise: WiseClient,
  { url, reference }: WebhookOrder,
  signal: AbortSignal,
): Promise<void> {
  for (const { id, delivery } of await listSubscriptions(wise, signal))
    if (delivery.url === url || id === reference) await unsubscribe(wise, id, signal);
}

const pathOf = (wise: WiseClient): string => `/profiles/${wise.profileId}/subscriptions`;

const listSubscriptions = (wise: WiseClient, signal: AbortSignal): Promise<Subscription[]> =>
  wise.ask(subscriptionsSchema, { method: 'GET', path: pathOf(wise) }, signal);

const subscribe = (
  wise: WiseClient,
  trigger: string,
  url: string,
  signal: AbortSignal,
): Promise<Subscription> =>
  wise.ask(
    subscriptionSchema,
    {
      method: 'POST',
      path: pathOf(wise),
      body: { name: `Placar ${trigger}`, trigger_on: trigger, delivery: { version: EVENT_VERSION, url } },
    },
    signal,
  );

async function unsubscribe(wise: WiseClient, id: string, signal: AbortSignal): Promise<void> {
  const answer = await wise.call({ method: 'DELETE', path: `${pathOf(wise)}/${id}` }, signal);
  if (answer.status >= 300 && answer.status !== 404) throw refusalOf(answer);
}
