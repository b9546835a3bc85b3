// SQL of webhook deliveries, as their job uses it.
import type { Fragment, Sql, Statement } from '../platform/db/database.ts';
import type { RetrySchedule } from '../platform/jobs/retry-schedule.ts';
import type { Attempt } from './attempt-delivery.ts';

export interface DueDelivery {
  id: string;
  status: 'pending' | 'delivered' | 'failed';
  /** When the next attempt is planned, if that is not now. */
  notBefore: Date | null;
  interface: 'payments' | 'records';
  url: string;
  variant: string | null;
  /** Whether the endpoint is. */
  active: boolean;
  /** Whether the endpoint has events of this type: it may have had others when this one happened. */
  subscribed: boolean;
  /** Whether an admin has its deliveries wait. */
  paused: boolean;
  eventId: string;
  type: string;
  data: unknown;
  origin: string | null;
  createdAt: Date;
  /** Newest first. */
  secrets: string[];
}

/** Gives nothing when the delivery's endpoint was deleted. */
export function selectDelivery(sql: Sql, id: string): Statement<DueDelivery> {
  return sql`
    select d.id, d.status, case when d.next_at > now() then d.next_at end as "notBefore",
           w.interface, w.url, w.variant, w.active, app.subscribes(w.events, e.type) as subscribed,
           w.paused_at is not null as paused,
           e.id as "eventId", e.type, app.event_data(e) as data, e.origin, e.created_at as "createdAt",
           to_jsonb(array(select app.webhook_secrets(w.id))) as secrets
    from public.webhook_deliveries d
    join public.webhook_endpoints w on w.tenant_id = d.tenant_id and w.id = d.endpoint_id
    join public.events e            on e.tenant_id = d.tenant_id and e.id = d.event_id
    where d.id = ${id}`;
}

/** Places among the requests to a delivery's host. */
export interface BegunRequest {
  /** When to ask again, where none is free. */
  busyUntil: Date | null;
  /** The addresses of the host that places were taken of, as far as they were known. */
  addresses: string[] | null;
}

/** Takes a place among the requests to the delivery's host, and to the addresses that it led to before. */
export function beginRequest(sql: Sql, id: string, leaseSeconds: number): Statement<BegunRequest> {
  return sql`
    select busy_until as "busyUntil", to_jsonb(addresses) as addresses
    from app.begin_webhook_request(${id}, ${leaseSeconds})`;
}

/** Takes the places of other addresses instead. */
export function moveRequest(
  sql: Sql,
  id: string,
  addresses: string[],
  leaseSeconds: number,
): Statement<Pick<BegunRequest, 'busyUntil'>> {
  return sql`
    select app.move_webhook_request(${id}, ${`{${addresses.join(',')}}`}::text[], ${leaseSeconds}) as "busyUntil"`;
}

export function failDelivery(sql: Sql, id: string, reason: string): Fragment {
  return sql`select app.fail_webhook_delivery(${id}, ${reason})`;
}

export interface RetryRules {
  schedule: RetrySchedule;
  deactivationMinSpanSeconds: number;
}

/** Records an attempt and what follows from it, and gives its place back; gives `next_at` when it is to be tried again. */
export function recordAttempt(
  sql: Sql,
  id: string,
  attempt: Attempt,
  { schedule, deactivationMinSpanSeconds }: RetryRules,
): Statement<{ next_at: Date | null }> {
  const { status, durationMs, excerpt, error, retryAfterSeconds } = attempt;
  return sql`
    select next_at
    from app.record_webhook_attempt(
      delivery_id         => ${id},
      response_status     => ${status},
      response_ms         => ${durationMs},
      response_excerpt    => ${excerpt},
      error               => ${error},
      retry_seconds       => ${`{${schedule.join(',')}}`}::text::integer[],
      retry_after_seconds => ${retryAfterSeconds},
      min_span_seconds    => ${deactivationMinSpanSeconds}
    )`;
}
