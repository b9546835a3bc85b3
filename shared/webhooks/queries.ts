// SQL of webhook deliveries, as their job uses it.
import type { Rows, Sql, Statement } from '../platform/db/database.ts';
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
  eventId: string;
  type: string;
  data: unknown;
  origin: string | null;
  createdAt: Date;
  /** Newest first. */
  secrets: string[];
}

export function selectDelivery(sql: Sql, id: string): Statement {
  return sql`
    select d.id, d.status, case when d.next_at > now() then d.next_at end as "notBefore",
           w.interface, w.url, w.variant, w.active,
           e.id as "eventId", e.type, e.data, e.origin, e.created_at as "createdAt",
           to_jsonb(array(select app.webhook_secrets(w.id))) as secrets
    from public.webhook_deliveries d
    join public.webhook_endpoints w on w.tenant_id = d.tenant_id and w.id = d.endpoint_id
    join public.events e            on e.tenant_id = d.tenant_id and e.id = d.event_id
    where d.id = ${id}`;
}

/** The delivery that `selectDelivery` gave; none when its endpoint was deleted. */
export function deliveryOf(rows: Rows | undefined): DueDelivery | undefined {
  return rows?.[0] as DueDelivery | undefined;
}

export function failDelivery(sql: Sql, id: string, reason: string): Statement {
  return sql`select app.fail_webhook_delivery(${id}, ${reason})`;
}

export interface RetryRules {
  /** Seconds to wait after each failed attempt but the last. */
  scheduleSeconds: number[];
  deactivationMinSpanSeconds: number;
}

/** Records an attempt and what follows from it; gives `next_at` when it is to be tried again. */
export function recordAttempt(sql: Sql, id: string, attempt: Attempt, rules: RetryRules): Statement {
  const { status, durationMs, excerpt, error, retryAfterSeconds } = attempt;
  return sql`
    select next_at
    from app.record_webhook_attempt(
      ${id}, ${status}, ${durationMs}, ${excerpt}, ${error},
      ${`{${rules.scheduleSeconds.join(',')}}`}::text::integer[], ${retryAfterSeconds}, ${rules.deactivationMinSpanSeconds}
    )`;
}
