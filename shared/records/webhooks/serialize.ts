// Events of records as webhooks show them, and the types that webhooks can subscribe to.
import type { Payload, StoredEvent } from '../../webhooks/signed-request.ts';
import type { Row } from '../variants/naming.ts';
import { time } from '../variants/show.ts';
import { type Resource, show, type VariantId, variants } from '../variants/variant.ts';

export const eventTypes = [
  'deal.created',
  'deal.updated',
  'deal.stage_changed',
  'deal.won',
  'deal.lost',
  'deal.deleted',
  'lead.created',
  'lead.updated',
  'lead.status_changed',
  'lead.converted',
  'lead.deleted',
  'user.created',
  'user.activated',
  'user.updated',
  'user.deactivated',
  'badge.earned',
  'ranking.changed',
  'challenge.completed',
] as const;

const RECORDS: readonly Resource[] = ['lead', 'deal', 'user'];

/** The payload of an event in the names of a variant. `origin` is there when the request that caused it had one. */
export function eventPayload({
  id,
  type,
  data,
  origin,
  createdAt,
  variant: variantId,
}: StoredEvent): Payload {
  const variant = variants[(variantId ?? 'a') as VariantId];
  const resource = RECORDS.find((name) => type.startsWith(`${name}.`));
  return {
    id,
    type: variant.eventTypes[type] ?? type,
    created_at: createdAt,
    data: resource ? show(variant, resource, data as Row) : withTimes(data),
    ...(origin !== null && { origin }),
  };
}

/** Data that is no record, its times in the form that records have. */
function withTimes(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      name.endsWith('_at') ? time(value) : withTimes(value),
    ]),
  );
}

/** An entry of the delivery log. */
export function showDelivery(record: Row): Row {
  const payload = eventPayload({
    id: String(record.event_id),
    type: String(record.event_type),
    data: record.event_data,
    origin: record.origin as string | null,
    variant: record.variant as string | null,
    createdAt: new Date(String(record.event_created_at)).toISOString(),
  });
  return {
    id: record.id,
    event_id: record.event_id,
    event_type: payload.type,
    payload,
    response_status: record.response_status,
    response_time_ms: record.response_time_ms,
    status: record.status,
    success: record.status === 'delivered',
    retry_count: Math.max(0, Number(record.attempts) - 1),
    created_at: time(record.created_at),
    next_attempt_at: time(record.next_attempt_at),
  };
}
