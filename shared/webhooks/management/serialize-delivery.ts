// Serializes deliveries for responses.
import type { EventRenderer } from '../event.ts';
import type { DeliveryRecord } from './delivery-queries.ts';
import type { DeliveryResponse } from './schema.ts';

const EXCERPT_BYTES = 1024;

/** The first KiB, without a partial character at the end. */
function firstKilobyte(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return new TextDecoder().decode(bytes.subarray(0, EXCERPT_BYTES), { stream: true });
}

/** The payload is shown as sent, in the names of the webhook's variant. `showTime` formats times for the interface. */
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
    burst: delivery.burst,
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
