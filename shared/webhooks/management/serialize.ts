// Serializes webhooks and deliveries for the responses of both interfaces. `showTime` formats times for the interface.
import type { EventRenderer } from '../event.ts';
import type { DeliveryRecord } from './delivery-queries.ts';
import type { WebhookRecord } from './queries.ts';
import type { DeliveryResponse } from './schema.ts';

/** The members of a webhook after its events, which each interface names. */
export const serializeCommon = (webhook: WebhookRecord, showTime: (stored: string) => string) => ({
  filters: webhook.filters,
  changed: webhook.changed,
  header_names: webhook.header_names,
  ordered: webhook.ordered,
  fold_seconds: webhook.fold_seconds,
  description: webhook.description,
  active: webhook.active,
  status: webhook.status,
  public_key: webhook.public_key,
  created_at: showTime(webhook.created_at),
  updated_at: showTime(webhook.updated_at),
});

const EXCERPT_BYTES = 1024;

/** The first KiB, without a partial character at the end. */
function firstKilobyte(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return new TextDecoder().decode(bytes.subarray(0, EXCERPT_BYTES), { stream: true });
}

/** The payload is shown as sent, in the names of the webhook's variant. */
export function serializeDelivery(
  delivery: DeliveryRecord,
  render: EventRenderer,
  showTime: (stored: string) => string,
): DeliveryResponse {
  const payload = render({
    id: delivery.event_id,
    type: delivery.event_type,
    data: delivery.event_data,
    origin: delivery.origin,
    variant: delivery.variant,
    clientId: delivery.client_id,
    fold: delivery.fold,
    createdAt: new Date(delivery.event_created_at).toISOString(),
  });
  return {
    id: delivery.id,
    event_id: delivery.event_id,
    event_type: payload.type,
    payload,
    response_status: delivery.response_status,
    response_time_ms: delivery.response_time_ms,
    status: delivery.status,
    success: delivery.status === 'delivered',
    error: delivery.error,
    response_excerpt: delivery.response_excerpt === null ? null : firstKilobyte(delivery.response_excerpt),
    attempts: delivery.attempts.map(({ at, ...attempt }) => ({ at: showTime(at), ...attempt })),
    retry_count: Math.max(0, delivery.attempt_count - 1),
    created_at: showTime(delivery.created_at),
    next_attempt_at: delivery.next_attempt_at === null ? null : showTime(delivery.next_attempt_at),
  };
}
