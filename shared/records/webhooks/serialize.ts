// Serializes webhooks for responses.

import { utcTime } from '../../platform/instants.ts';
import type { WebhookRecord } from '../../webhooks/management/queries.ts';
import type { EventNaming } from '../events/event-types.ts';
import type { WebhookResponse } from './schema.ts';

/** Events have the names of the request's variant. */
export const serializeWebhook = (
  webhook: WebhookRecord,
  { eventTypes }: EventNaming = { eventTypes: {} },
): WebhookResponse => ({
  id: webhook.id,
  url: webhook.url,
  events: (webhook.events ?? []).map((type) => eventTypes[type] ?? type),
  filters: webhook.filters,
  changed: webhook.changed,
  header_names: webhook.header_names,
  ordered: webhook.ordered,
  fold_seconds: webhook.fold_seconds,
  description: webhook.description,
  active: webhook.active,
  status: webhook.status,
  public_key: webhook.public_key,
  created_at: utcTime(webhook.created_at),
  updated_at: utcTime(webhook.updated_at),
  ...(webhook.secret !== undefined && { secret: webhook.secret }),
});
