// Webhooks that are registered by API: one for each event, all with the same address and secret.
import type { Logger } from '../../platform/logger.ts';
import type { CrmClient } from './client.ts';
import type { CrmConnection, WebhookOrder, WebhookReport } from './crm.ts';
import { CrmRejected } from './errors.ts';

/** A webhook in the CRM, of ours or of another program. */
interface Registered {
  id: string;
  url: string | null;
  event: string | null;
  /** False if it is paused, or has another secret or format. */
  isUsable: boolean;
}

interface WebhookApi {
  client: Pick<CrmClient, 'remove'>;
  /** Of the list of webhooks. */
  path: string;
  events: readonly string[];
  /** All of the account. */
  list(order: WebhookOrder): Promise<readonly Registered[]>;
  /** Returns the id of the webhook. */
  register(event: string, order: WebhookOrder): Promise<{ id: string }>;
}

export function createWebhooks(
  { client, path, events, list, register }: WebhookApi,
  log: Logger,
): Pick<CrmConnection, 'ensureWebhooks' | 'removeWebhooks'> {
  const listOwn = async (order: WebhookOrder) => ownOf(order, await list(order));
  const remove = (id: string) => client.remove(`${path}/${encodeURIComponent(id)}`);
  return {
    /** Also removes webhooks of ours that are surplus, of a former address or not usable. */
    async ensureWebhooks(order): Promise<WebhookReport> {
      const kept = new Map<string, string>();
      for (const { id, url, event, isUsable } of await listOwn(order)) {
        const isCurrent = url === order.url && isUsable && event !== null && events.includes(event);
        if (isCurrent && !kept.has(event)) {
          kept.set(event, id);
          continue;
        }
        await remove(id).catch((error: unknown) => {
          // Such as webhooks of another user, the former owner of the token.
          if (!(error instanceof CrmRejected)) throw error;
          log.warn('a surplus webhook was not removed', { webhook: id, words: error.message });
        });
      }
      for (const event of events) if (!kept.has(event)) kept.set(event, (await register(event, order)).id);
      return { state: 'active', reference: [...kept.values()].join(' ') };
    },
    async removeWebhooks(order) {
      for (const { id } of await listOwn(order)) await remove(id);
    },
  };
}

/** Those of ours, by address too: the response to a registration may have been lost. */
function ownOf({ url, reference }: WebhookOrder, all: readonly Registered[]): Registered[] {
  const ids = idsIn(reference);
  return all.filter((webhook) => webhook.url === url || ids.includes(webhook.id));
}

/** Ids of the webhooks of a `WebhookReport.reference`. */
export const idsIn = (reference: string | null): string[] => reference?.split(' ').filter(Boolean) ?? [];
