// Our webhooks at Pipedrive, one per object; their proof, and what they say.
import { z } from 'zod';
import { constantTimeEqual } from '../../../platform/crypto.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Delivery, Hint, Subject, WebhookOrder } from '../crm.ts';
import { createWebhooks, idsIn } from '../register-webhooks.ts';
import { listOf } from '../wire.ts';
import type { PipedriveClient } from './client.ts';
import { kindsByObject, paths, WEBHOOK_ACTION, WEBHOOK_USER, WEBHOOK_VERSION } from './facts.ts';
import { type Meta, metaSchema, newWebhookSchema, type Webhook, webhookSchema } from './wire.ts';

export const createPipedriveWebhooks = (client: PipedriveClient, log: Logger) =>
  createWebhooks(
    {
      ...{ client, path: paths.webhooks, events: [...kindsByObject.keys()] },
      async list(order) {
        const all = await client.read(listOf(webhookSchema), paths.webhooks);
        return all
          .filter(({ remove_time: removed }) => removed === null)
          .map((webhook) => ({
            id: webhook.id,
            url: webhook.subscription_url,
            event: webhook.event_object,
            isUsable: isUsable(webhook, order),
          }));
      },
      register: (object, order) =>
        client.save(newWebhookSchema, 'POST', paths.webhooks, {
          name: `Placar ${object}`,
          subscription_url: order.url,
          event_action: WEBHOOK_ACTION,
          event_object: object,
          version: WEBHOOK_VERSION,
          http_auth_user: WEBHOOK_USER,
          http_auth_password: order.secret,
        }),
    },
    log,
  );

function isUsable(webhook: Webhook, { secret, reference }: WebhookOrder): boolean {
  const { http_auth_password: password, version } = webhook;
  const isHidden = password === null || /^\*+$/.test(password);
  return (
    // If Pipedrive does not show the password, only webhooks that we know to have it are usable.
    (isHidden ? idsIn(reference).includes(webhook.id) : password === secret) &&
    webhook.is_active !== false &&
    webhook.event_action === WEBHOOK_ACTION &&
    (version ?? WEBHOOK_VERSION) === WEBHOOK_VERSION
  );
}

/** Pipedrive signs nothing: the proof is the password that we registered. */
export async function isGenuine({ headers, secret }: Delivery): Promise<boolean> {
  const [, given = ''] = /^basic +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  return secret !== '' && constantTimeEqual(given, btoa(`${WEBHOOK_USER}:${secret}`));
}

const typed = z
  .object({ type: z.string().nullish().catch(null) })
  .nullish()
  .catch(null);
const eventSchema = z.object({ meta: metaSchema, data: typed, previous: typed });

export function readHints(body: unknown): Hint[] {
  const event = eventSchema.safeParse(body);
  if (!event.success) return [{ type: 'unknown' }];
  const { meta, data, previous } = event.data;
  const subject = subjectOf(meta);
  const activityType = subject?.kind === 'activity' ? (data ?? previous)?.type : undefined;
  const about = activityType && subject ? { ...subject, activityType } : subject;
  return [{ eventId: meta.id ?? undefined, type: `${meta.action}.${meta.entity}`, about }];
}

function subjectOf({ action, entity, entity_id: id, ...meta }: Meta): Subject | undefined {
  const kind = kindsByObject.get(entity);
  if (kind === undefined || id === null) return undefined;
  const { merged_to_id: winner, merged_from_id: loser } = meta;
  // A merge sends two events, each of which names the other record.
  if (action === 'delete' && winner !== null) return { kind, id: winner, merged: { losers: [id] } };
  return { kind, id, ...(action === 'change' && loser !== null && { merged: { losers: [loser] } }) };
}
