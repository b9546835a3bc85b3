// Our webhooks at RD Station CRM, their proof, and what they say.
import { z } from 'zod';
import { constantTimeEqual } from '../../../platform/crypto.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Delivery, Hint, WebhookOrder } from '../crm.ts';
import { CrmRejected } from '../errors.ts';
import { createWebhooks } from '../register-webhooks.ts';
import { optionalId } from '../wire.ts';
import type { RdClient } from './client.ts';
import { ACTIVE_WEBHOOK, AUTH_HEADER, EVENT, EVENT_MEMBERS, KIND_OF, TASK, WEBHOOK_EVENTS } from './facts.ts';
import { webhookSchema } from './schemas.ts';

const PATH = '/webhooks';

export function createRdWebhooks(client: RdClient, log: Logger) {
  let forms: readonly (readonly string[])[] = EVENT_MEMBERS;
  async function register(event: string, order: WebhookOrder): Promise<{ id: string }> {
    const named = Object.fromEntries((forms[0] ?? []).map((member) => [member, event]));
    try {
      return await client.write(webhookSchema, 'POST', PATH, {
        ...{ name: `Placar ${event}`, ...named, http_method: 'POST', url: order.url },
        ...{ auth_header: AUTH_HEADER, auth_key: order.secret },
      });
    } catch (error) {
      if (!(error instanceof CrmRejected) || forms.length === 1) throw error;
      forms = forms.slice(1);
      return await register(event, order);
    }
  }
  async function list() {
    const all = await client.readAll(webhookSchema, PATH);
    return all.map(({ id, url, event_name, event_type, status }) => ({
      ...{ id, url, event: event_name ?? event_type },
      isUsable: (status ?? ACTIVE_WEBHOOK) === ACTIVE_WEBHOOK,
    }));
  }
  return createWebhooks({ client, path: PATH, events: WEBHOOK_EVENTS, list, register }, log);
}

export const isGenuine = async ({ headers, secret }: Delivery): Promise<boolean> =>
  constantTimeEqual(headers.get(AUTH_HEADER) ?? '', secret);

const name = z.string().nullish().catch(undefined);
const subject = z
  .object({ id: optionalId, _id: optionalId, type: name })
  .transform(({ id, _id, type }) => ({ id: id ?? _id, type }))
  .nullish()
  .catch(undefined);
const bodySchema = z.object({ event_name: name, event_type: name, document: subject, data: subject });

/** Without ids of events: nothing says that an id of RD is of one event only. */
export function readHints(body: unknown): Hint[] {
  const { event_name, event_type, document, data } = bodySchema.safeParse(body).data ?? {};
  const type = event_name || event_type || 'unknown';
  const kind = KIND_OF[EVENT.exec(type.toLowerCase())?.[1] ?? ''];
  const record = document?.id ? document : data;
  if (!kind || !record?.id) return [{ type }];
  const activityType = kind === 'activity' && record.type ? TASK + record.type : undefined;
  return [{ type, about: { kind, id: record.id, activityType } }];
}
