// Serializes payments webhooks and their deliveries for responses.

import { toMilliseconds } from '../../platform/instants.ts';
import type { EventRenderer } from '../../webhooks/event.ts';
import type { DeliveryRecord } from '../../webhooks/management/delivery-queries.ts';
import type { WebhookRecord } from '../../webhooks/management/queries.ts';
import type { DeliveryResponse } from '../../webhooks/management/schema.ts';
import { serializeDelivery as serialize } from '../../webhooks/management/serialize-delivery.ts';
import type { WebhookResponse } from './schema.ts';

export const serializeWebhook = (webhook: WebhookRecord): WebhookResponse => ({
  id: webhook.id,
  url: webhook.url,
  events: webhook.events,
  filters: webhook.filters,
  changed: webhook.changed,
  header_names: webhook.header_names,
  ordered: webhook.ordered,
  fold_seconds: webhook.fold_seconds,
  description: webhook.description,
  active: webhook.active,
  status: webhook.status,
  public_key: webhook.public_key,
  created_at: toMilliseconds(webhook.created_at),
  updated_at: toMilliseconds(webhook.updated_at),
});

/** `render` renders the event as it was sent. */
export const serializeDelivery = (delivery: DeliveryRecord, render: EventRenderer): DeliveryResponse =>
  serialize(delivery, render, toMilliseconds);
