// Serializes webhooks for responses. Apart from `schema.ts`, whose schemas take longer to load than those of all other records.
import { utcTime } from '../../platform/instants.ts';
import type { WebhookRecord } from '../../webhooks/management/queries.ts';
import { serializeCommon } from '../../webhooks/management/serialize.ts';
import type { EventNaming } from '../events/event-types.ts';
import type { WebhookResponse } from './schema.ts';

/** Events have the names of the request's variant. */
export const serializeWebhook = (webhook: WebhookRecord, { eventTypes }: EventNaming): WebhookResponse => ({
  id: webhook.id,
  url: webhook.url,
  events: (webhook.events ?? []).map((type) => eventTypes[type] ?? type),
  ...serializeCommon(webhook, utcTime),
  ...(webhook.secret !== undefined && { secret: webhook.secret }),
});
