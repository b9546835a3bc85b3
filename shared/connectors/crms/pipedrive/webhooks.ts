// Our webhooks at Pipedrive, one per object; their proof, and what they say.
import { z } from 'zod';
import { constantTimeEqual } from '../../../platform/crypto.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Delivery, Hint, WebhookOrder, WebhookReport } from '../crm.ts';
import { idsIn, registerWebhooks } from '../register-webhooks.ts';
import type { PipedriveClient } from './client.ts';
import { kindsByObject, paths, WEBHOOK_ACTION, WEBHOOK_USER, WEBHOOK_VERSION } from './facts.ts';
import { listOf, type Meta, metaSchema, newWebhookSchema, type Webhook, webhookSchema } from './wire.ts';

export async function ensureWebhooks(
  client: PipedriveClient,
  order: WebhookOrder,
  log: Logger,
): Promise<WebhookReport> {
  const ids = idsIn(order.reference);
  const all = await client.read(listOf(webhookSchema), paths.webhooks);
  const ours = all.filter(
    ({ id, subscription_url: url, remove_time: removed }) =>
      removed === null && (url === order.url || ids.includes(id)),
  );
  return await registerWebhooks({
    events: kindsByObject.keys(),
    registered: ours.map((webhook) => ({
      id: webhook.id,
      event: webhook.event_object ?? '',
      isCurrent: isCurrent(webhook, order, ids),
    })),
    register: (object) =>
      client.save(newWebhookSchema, 'POST', paths.webhooks, {
        name: `Placar ${object}`,
        subscription_url: order.url,
        event_action: WEBHOOK_ACTION,
        event_object: object,
        version: WEBHOOK_VERSION,
        http_auth_user: WEBHOOK_USER,
        http_auth_password: order.secret,
      }),
    remove: (id) => client.remove(pathOf(id)),
    log,
  });
}

const pathOf = (id: string) => `${paths.webhooks}/${encodeURIComponent(id)}`;

export async function removeWebhooks(client: PipedriveClient, reference: string): Promise<void> {
  for (const id of idsIn(reference)) await client.remove(pathOf(id));
}

function isCurrent(webhook: Webhook, { url, secret }: WebhookOrder, ids: readonly string[]): boolean {
  const { http_auth_password: password } = webhook;
  // If Pipedrive does not show the password, only webhooks that we know to have it are current.
  const hasSecret =
    password === null || /^\*+$/.test(password) ? ids.includes(webhook.id) : password === secret;
  return (
    hasSecret &&
    webhook.subscription_url === url &&
    webhook.is_active !== false &&
    webhook.event_action === WEBHOOK_ACTION &&
    kindsByObject.has(webhook.event_object ?? '') &&
    (webhook.version ?? WEBHOOK_VERSION) === WEBHOOK_VERSION
  );
}

/** Pipedrive signs nothing: the proof is the password that we registered. */
export async function isGenuine({ headers, secret }: Delivery): Promise<boolean> {
  const [, given = ''] = /^basic +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  return secret !== '' && constantTimeEqual(given, btoa(`${WEBHOOK_USER}:${secret}`));
}

const eventSchema = z.object({ meta: metaSchema });

export function readHints(body: unknown): Hint[] {
  const event = eventSchema.safeParse(body);
  if (!event.success) return [{ type: 'unknown' }];
  const { meta } = event.data;
  return [{ eventId: meta.id ?? undefined, type: `${meta.action}.${meta.entity}`, about: subjectOf(meta) }];
}

function subjectOf({ action, entity, entity_id: id, ...meta }: Meta): Hint['about'] {
  const kind = kindsByObject.get(entity);
  if (kind === undefined || id === null) return undefined;
  const { merged_to_id: winner, merged_from_id: loser } = meta;
  // A merge sends two events, each of which names the other record.
  if (action === 'delete' && winner !== null) return { kind, id: winner, merged: { losers: [id] } };
  return { kind, id, ...(action === 'change' && loser !== null && { merged: { losers: [loser] } }) };
}
