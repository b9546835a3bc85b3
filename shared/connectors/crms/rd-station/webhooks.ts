// Webhooks: one for each event, all with the same address and secret.
import { z } from 'zod';
import { constantTimeEqual } from '../../../platform/crypto.ts';
import { parseJson } from '../../../platform/vendor-json.ts';
import type { Delivery, Hint, WebhookOrder, WebhookReport } from '../crm.ts';
import { parse, type RdClient } from './client.ts';
import { ACTIVE_WEBHOOK, AUTH_HEADER, EVENT, KIND_OF, WEBHOOK_EVENTS } from './facts.ts';
import { id, webhookSchema } from './schemas.ts';

const PATH = '/webhooks';
const pathOf = (webhookId: string) => `${PATH}/${encodeURIComponent(webhookId)}`;
/** References are ids, separated by spaces. */
const idsOf = (reference: string | null) => reference?.split(' ').filter(Boolean) ?? [];

/** Creates missing ones. Deletes those that are suspended, duplicates, and ours with another address. */
export async function ensureWebhooks(
  client: RdClient,
  { url, secret, reference }: WebhookOrder,
  signal: AbortSignal,
): Promise<WebhookReport> {
  const formerIds = new Set(idsOf(reference));
  const registered = (await client.readAll(webhookSchema, PATH, {}, signal)).filter(
    (webhook) => webhook.url === url || formerIds.has(webhook.id),
  );
  const kept = new Map<string, string>();
  for (const webhook of registered) {
    const event = webhook.event_name ?? webhook.event_type ?? '';
    const isRight =
      webhook.url === url &&
      (webhook.status ?? ACTIVE_WEBHOOK) === ACTIVE_WEBHOOK &&
      WEBHOOK_EVENTS.includes(event) &&
      !kept.has(event);
    if (isRight) kept.set(event, webhook.id);
    else await client.delete(pathOf(webhook.id), signal);
  }
  for (const event of WEBHOOK_EVENTS.filter((name) => !kept.has(name))) {
    const data = {
      name: `Placar ${event}`,
      event_name: event,
      http_method: 'POST',
      url,
      auth_header: AUTH_HEADER,
      auth_key: secret,
    };
    const created = await client.write('POST', PATH, data, signal);
    kept.set(event, parse(webhookSchema, created, `POST ${PATH}`).id);
  }
  return { state: 'active', reference: [...kept.values()].join(' ') };
}

export async function removeWebhooks(
  client: RdClient,
  reference: string,
  signal: AbortSignal,
): Promise<void> {
  for (const webhookId of idsOf(reference)) await client.delete(pathOf(webhookId), signal);
}

export const isGenuine = ({ headers, secret }: Delivery): boolean =>
  constantTimeEqual(headers.get(AUTH_HEADER) ?? '', secret);

const text = z.string().nullish().catch(undefined);
const subject = z.object({ id }).nullish().catch(undefined);
const bodySchema = z.object({
  event_name: text,
  event_type: text,
  document: subject,
  data: subject,
});

/** Throws if the body is no JSON. */
export function readHints(body: Uint8Array): Hint[] {
  const parsed = bodySchema.safeParse(parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body)));
  if (!parsed.success) return [{ eventId: undefined, type: 'unknown', about: undefined }];
  const { event_name, event_type, document, data } = parsed.data;
  const type = event_name || event_type || 'unknown';
  const kind = KIND_OF[EVENT.exec(type.toLowerCase())?.[1] ?? ''];
  const recordId = document?.id ?? data?.id;
  return [
    {
      // Nothing says that an id of RD is of one event only.
      eventId: undefined,
      type,
      about: kind && recordId !== undefined ? { kind, id: recordId } : undefined,
    },
  ];
}
