// Webhooks that are registered by API: one for each event, all with the same address and secret.
import type { Logger } from '../../platform/logger.ts';
import type { WebhookReport } from './crm.ts';
import { CrmRejected } from './errors.ts';

/** A webhook of ours in the CRM. */
interface Registered {
  id: string;
  event: string;
  /** False if it is of another address or secret, paused, or for no event of interest. */
  isCurrent: boolean;
}

interface Registration {
  events: Iterable<string>;
  registered: readonly Registered[];
  /** Returns the id of the webhook. */
  register(event: string): Promise<{ id: string }>;
  /** What is gone is no error. */
  remove(id: string): Promise<void>;
  log: Logger;
}

/** Registers what is missing, and removes what is surplus or not current. */
export async function registerWebhooks(registration: Registration): Promise<WebhookReport> {
  const { events, registered, register, remove, log } = registration;
  const kept = new Map<string, string>();
  for (const { id, event, isCurrent } of registered) {
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
  for (const event of events) if (!kept.has(event)) kept.set(event, (await register(event)).id);
  return { state: 'active', reference: [...kept.values()].join(' ') };
}

/** Ids of the webhooks of a `WebhookReport.reference`. */
export const idsIn = (reference: string | null): string[] => reference?.split(' ').filter(Boolean) ?? [];
