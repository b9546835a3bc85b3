// Manages our webhook at Stripe, which returns the signing secret only on creation.

import type { Stripe } from 'stripe';
import type { WebhookOrder, WebhookReport } from '../accounts.ts';
import { isSameCallback } from '../callback-url.ts';
import { type CallStripe, collect, PAGE_SIZE, STRIPE_VERSION } from './client.ts';
import { ResourceNotFound } from './errors.ts';
import { eventTypes } from './events.ts';

/** Creates or repairs the webhook, so that exactly one exists for this account. `secret` is the stored secret, if any. */
export async function ensureWebhook(
  ask: CallStripe,
  { url, reference }: WebhookOrder,
  secret: string | null,
): Promise<WebhookReport> {
  return await ask(async (stripe) => {
    const endpoints = await endpointsAt(stripe, url);
    // The secret and the version of an existing webhook cannot be changed.
    const kept = secret
      ? endpoints.find(({ id, api_version: version }) => id === reference && version === STRIPE_VERSION)
      : undefined;
    for (const { id } of endpoints) if (id !== kept?.id) await stripe.webhookEndpoints.del(id);
    if (!kept) {
      const created = await stripe.webhookEndpoints.create({
        url,
        enabled_events: [...eventTypes],
        api_version: STRIPE_VERSION,
        description: 'Placar',
      });
      return { reference: created.id, state: stateOf(created), secret: created.secret };
    }
    const complete = eventTypes.every((type) => kept.enabled_events.includes(type));
    const repaired =
      kept.status === 'enabled' && complete && kept.url === url
        ? kept
        : await stripe.webhookEndpoints.update(kept.id, {
            url,
            disabled: false,
            enabled_events: [...eventTypes],
          });
    const wasResumed = stateOf(kept) === 'paused';
    return { reference: repaired.id, state: stateOf(repaired), wasResumed, secret: undefined };
  });
}

export async function removeWebhook(ask: CallStripe, { url }: WebhookOrder): Promise<void> {
  const endpoints = await ask((stripe) => endpointsAt(stripe, url));
  for (const { id } of endpoints) {
    await ask((stripe) => stripe.webhookEndpoints.del(id)).catch((error) => {
      if (!(error instanceof ResourceNotFound)) throw error;
    });
  }
}

async function endpointsAt(stripe: Stripe, url: string): Promise<Stripe.WebhookEndpoint[]> {
  const endpoints = await collect(stripe.webhookEndpoints.list({ limit: PAGE_SIZE }));
  return endpoints.filter((endpoint) => isSameCallback(endpoint.url, url));
}

function stateOf({ status }: Stripe.WebhookEndpoint): WebhookReport['state'] {
  return status === 'enabled' ? 'active' : 'paused';
}
