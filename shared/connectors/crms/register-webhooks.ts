// Webhooks that are registered by API: one for each event, all with the same address and secret.
import type { Logger } from '../../platform/logger.ts';
import type { CrmClient } from './client.ts';
import type { WebhookOrder, WebhookReport } from './crm.ts';
import { CrmRejected } from './errors.ts';

/** A webhook in the CRM, of ours or of another program. */
export interface Registered {
  id: string;
  url: string | null;
  event: string | null;
  /** False if it is paused, or has another secret or format. */
  isUsable: boolean;
}

interface Registration {
  client: Pick<CrmClient, 'remove'>;
  /** Of the list of webhooks. */
  path: string;
  order: WebhookOrder;
  events: readonly string[];
  registered: readonly Registered[];
  /** Returns the id of the webhook. */
  register(event: string): Promise<{ id: string }>;
  log: Logger;
}

/** Registers what is missing, and removes webhooks of ours that are surplus, of a former address or not usable. */
export async function registerWebhooks(registration: Registration): Promise<WebhookReport> {
  const { client, path, order, events, registered, register, log } = registration;
  const kept = new Map<string, string>();
  for (const { id, url, event, isUsable } of ownOf(order, registered)) {
    const isCurrent = url === order.url && isUsable && event !== null && events.includes(event);
    if (isCurrent && !kept.has(event)) {
      kept.set(event, id);
      continue;
    }
    await client.remove(pathOf(path, id)).catch((error: unknown) => {
      // Such as webhooks of another user, the former owner of the token.
      if (!(error instanceof CrmRejected)) throw error;
      log.warn('a surplus webhook was not removed', { webhook: id, words: error.message });
    });
  }
  for (const event of events) if (!kept.has(event)) kept.set(event, (await register(event)).id);
  return { state: 'active', reference: [...kept.values()].join(' ') };
}

/** Those of ours, by address too: the response to a registration may have been lost. */
export function ownOf({ url, reference }: WebhookOrder, all: readonly Registered[]): Registered[] {
  const ids = idsIn(reference);
  return all.filter((webhook) => webhook.url === url || ids.includes(webhook.id));
}

export async function removeRegistered(
  client: Pick<CrmClient, 'remove'>,
  path: string,
  webhooks: readonly Registered[],
): Promise<void> {
  for (const { id } of webhooks) await client.remove(pathOf(path, id));
}

/** Ids of the webhooks of a `WebhookReport.reference`. */
export const idsIn = (reference: string | null): string[] => reference?.split(' ').filter(Boolean) ?? [];

const pathOf = (path: string, id: string): string => `${path}/${encodeURIComponent(id)}`;
