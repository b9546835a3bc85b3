// Our webhooks at Pipedrive, one per object; their proof, and what they say.
import { z } from 'zod';
import { constantTimeEqual } from '../../../platform/crypto.ts';
import type { Logger } from '../../../platform/logger.ts';
import { parseJson } from '../../../platform/vendor-json.ts';
import type { Delivery, Hint, WebhookOrder, WebhookReport } from '../crm.ts';
import { CrmRecordGone, CrmRejected } from '../errors.ts';
import type { PipedriveClient } from './client.ts';
import { kindsByObject, paths, WEBHOOK_ACTION, WEBHOOK_USER, WEBHOOK_VERSION } from './facts.ts';
import { listOf, type Meta, metaSchema, newWebhookSchema, type Webhook, webhookSchema } from './wire.ts';

/** Registers what is missing, and removes those of ours that are surplus, paused, of another address or with another secret. */
export async function ensureWebhooks(
  client: PipedriveClient,
  order: WebhookOrder,
  log: Logger,
): Promise<WebhookReport> {
  const ids = idsOf(order.reference);
  const kept = new Map<string, string>();
  for (const webhook of (await client.read(listOf(webhookSchema), paths.webhooks)) ?? []) {
    const { id, subscription_url: url, event_object: object } = webhook;
    if (webhook.remove_time !== null || (url !== order.url && !ids.includes(id))) continue;
    if (object !== null && !kept.has(object) && isCurrent(webhook, order, ids)) kept.set(object, id);
    else await removeSurplus(client, id, log);
  }
  for (const object of kindsByObject.keys()) {
    if (kept.has(object)) continue;
    const body = {
      name: `Placar ${object}`,
      subscription_url: order.url,
      event_action: WEBHOOK_ACTION,
      event_object: object,
      version: WEBHOOK_VERSION,
      http_auth_user: WEBHOOK_USER,
      http_auth_password: order.secret,
    };
    kept.set(object, (await client.write(newWebhookSchema, 'POST', paths.webhooks, body)).id);
  }
  return { state: 'active', reference: [...kept.values()].join(',') };
}

const idsOf = (reference: string | null): string[] => reference?.split(',').filter(Boolean) ?? [];

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

async function remove(client: PipedriveClient, id: string): Promise<void> {
  try {
    await client.remove(`${paths.webhooks}/${encodeURIComponent(id)}`);
  } catch (error) {
    if (!(error instanceof CrmRecordGone)) throw error;
  }
}

async function removeSurplus(client: PipedriveClient, id: string, log: Logger): Promise<void> {
  try {
    await remove(client, id);
  } catch (error) {
    // Only admins can remove webhooks of another user, such as the former owner of the token.
    if (!(error instanceof CrmRejected)) throw error;
    log.warn('Pipedrive did not remove a surplus webhook', { webhook: id, words: error.message });
  }
}

/** Webhooks that are gone are no error. */
export async function removeWebhooks(client: PipedriveClient, reference: string): Promise<void> {
  for (const id of idsOf(reference)) await remove(client, id);
}

/** Pipedrive signs nothing: the proof is the password that we registered. */
export async function isGenuine({ headers, secret }: Delivery): Promise<boolean> {
  const [, given = ''] = /^basic +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  return secret !== '' && constantTimeEqual(given, btoa(`${WEBHOOK_USER}:${secret}`));
}

const eventSchema = z.object({ meta: metaSchema });

/** Throws if the body is no JSON. */
export function readHints(body: Uint8Array): Hint[] {
  const event = eventSchema.safeParse(parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body)));
  if (!event.success) return [{ eventId: undefined, type: 'unknown', about: undefined }];
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
