// Our webhooks at RD Station CRM, their proof, and what they say.
import { z } from 'zod';
import { constantTimeEqual } from '../../../platform/crypto.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Delivery, Hint, WebhookOrder, WebhookReport } from '../crm.ts';
import { idsIn, registerWebhooks } from '../register-webhooks.ts';
import type { RdClient } from './client.ts';
import { ACTIVE_WEBHOOK, AUTH_HEADER, EVENT, KIND_OF, WEBHOOK_EVENTS } from './facts.ts';
import { id, webhookSchema } from './schemas.ts';

const PATH = '/webhooks';
const pathOf = (webhookId: string) => `${PATH}/${encodeURIComponent(webhookId)}`;

export async function ensureWebhooks(
  client: RdClient,
  { url, secret, reference }: WebhookOrder,
  log: Logger,
): Promise<WebhookReport> {
  const formerIds = idsIn(reference);
  const all = await client.readAll(webhookSchema, PATH);
  const registered = all
    .filter((webhook) => webhook.url === url || formerIds.includes(webhook.id))
    .map((webhook) => {
      const event = webhook.event_name ?? webhook.event_type ?? '';
      const isActive = (webhook.status ?? ACTIVE_WEBHOOK) === ACTIVE_WEBHOOK;
      const isCurrent = webhook.url === url && isActive && WEBHOOK_EVENTS.includes(event);
      return { id: webhook.id, event, isCurrent };
    });
  return await registerWebhooks({
    events: WEBHOOK_EVENTS,
    registered,
    register: (event) =>
      client.write(webhookSchema, 'POST', PATH, {
        ...{ name: `Placar ${event}`, event_name: event, http_method: 'POST', url },
        ...{ auth_header: AUTH_HEADER, auth_key: secret },
      }),
    remove: (webhookId) => client.remove(pathOf(webhookId)),
    log,
  });
}

export async function removeWebhooks(client: RdClient, reference: string): Promise<void> {
  for (const webhookId of idsIn(reference)) await client.remove(pathOf(webhookId));
}

export const isGenuine = async ({ headers, secret }: Delivery): Promise<boolean> =>
  constantTimeEqual(headers.get(AUTH_HEADER) ?? '', secret);

const text = z.string().nullish().catch(undefined);
const subject = z.object({ id }).nullish().catch(undefined);
const bodySchema = z.object({ event_name: text, event_type: text, document: subject, data: subject });

/** Without ids of events: nothing says that an id of RD is of one event only. */
export function readHints(body: unknown): Hint[] {
  const { event_name, event_type, document, data } = bodySchema.safeParse(body).data ?? {};
  const type = event_name || event_type || 'unknown';
  const kind = KIND_OF[EVENT.exec(type.toLowerCase())?.[1] ?? ''];
  const recordId = document?.id ?? data?.id;
  return [{ type, about: kind && recordId !== undefined ? { kind, id: recordId } : undefined }];
}
