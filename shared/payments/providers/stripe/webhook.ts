// Our webhook at Stripe. Its secret is told when it is made and never again.
import type { Stripe } from 'stripe';
import type { WebhookOrder, WebhookReport } from '../provider.ts';
import { type CallStripe, STRIPE_VERSION } from './client.ts';
import { ResourceNotFound } from './errors.ts';
import { eventTypes } from './events.ts';

/** Makes or repairs it, so that it is the only one at this address. `secret` is the one we know, if we know one. */
export async function ensureWebhook(
  ask: CallStripe,
  signal: AbortSignal,
  { url, reference }: WebhookOrder,
  secret: string | null,
): Promise<WebhookReport> {
  return await ask(signal, async (stripe) => {
    const there = await endpointsAt(stripe, url);
    // One whose secret or version is not ours can't be given them.
    const kept = secret
      ? there.find(({ id, api_version: version }) => id === reference && version === STRIPE_VERSION)
      : undefined;
    for (const { id } of there) if (id !== kept?.id) await stripe.webhookEndpoints.del(id);
    if (!kept) {
      const made = await stripe.webhookEndpoints.create({
        url,
        enabled_events: [...eventTypes],
        api_version: STRIPE_VERSION,
        description: 'Placar',
      });
      return { reference: made.id, state: stateOf(made), secret: made.secret };
    }
    const complete = eventTypes.every((type) => kept.enabled_events.includes(type));
    const sound =
      kept.status === 'enabled' && complete
        ? kept
        : await stripe.webhookEndpoints.update(kept.id, { disabled: false, enabled_events: [...eventTypes] });
    const revived = stateOf(kept) === 'paused';
    return { reference: sound.id, state: stateOf(sound), revived, secret: undefined };
  });
}

export async function removeWebhook(
  ask: CallStripe,
  signal: AbortSignal,
  { url }: WebhookOrder,
): Promise<void> {
  const there = await ask(signal, (stripe) => endpointsAt(stripe, url));
  for (const { id } of there) {
    await ask(signal, (stripe) => stripe.webhookEndpoints.del(id)).catch((error) => {
      if (!(error instanceof ResourceNotFound)) throw error;
    });
  }
}

async function endpointsAt(stripe: Stripe, url: string): Promise<Stripe.WebhookEndpoint[]> {
  const there: Stripe.WebhookEndpoint[] = [];
  for await (const endpoint of stripe.webhookEndpoints.list({ limit: 100 })) {
    if (endpoint.url === url) there.push(endpoint);
  }
  return there;
}

function stateOf({ status }: Stripe.WebhookEndpoint): WebhookReport['state'] {
  return status === 'enabled' ? 'active' : 'paused';
}
