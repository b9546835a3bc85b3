// Serializes payments webhooks and their deliveries for responses.

import { toMilliseconds } from '../../platform/instants.ts';
import type { EventRenderer } from '../../webhooks/event.ts';
import type { DeliveryRecord } from '../../webhooks/management/delivery-queries.ts';
import type { WebhookRecord } from '../../webhooks/management/queries.ts';
import type { DeliveryResponse } from '../../webhooks/management/schema.ts';
import { serializeDelivery as serialize, serializeCommon } from '../../webhooks/management/serialize.ts';
import type { WebhookResponse } from './schema.ts';

export const serializeWebhook = (webhook: WebhookRecord): WebhookResponse => ({
  id: webhook.id,
  url: webhook.url,
  events: webhook.events,
  ...serializeCommon(webhook, toMilliseconds),
});

/** `render` renders the event as it was sent. */
export const serializeDelivery = (delivery: DeliveryRecord, render: EventRenderer): DeliveryResponse =>
  serialize(delivery, render, toMilliseconds);
