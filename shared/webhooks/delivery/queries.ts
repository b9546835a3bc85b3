// SQL of the job that delivers webhooks.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { ClaimedLaneJob } from '../../platform/jobs/job.ts';
import type { RetrySchedule } from '../../platform/jobs/retry-schedule.ts';
import type { Fold } from '../event.ts';
import type { DeliveryAttemptResult } from './attempt-delivery.ts';
import type { WebhookSigningKey } from './signed-request.ts';

/** A claimed job and its delivery. */
export interface DueDelivery extends ClaimedLaneJob {
  id: string;
  status: 'pending' | 'delivered' | 'failed';
  /** The trace of the delivery's event. */
  deliveryTraceparent: string | null;
  /** When to retry if the delivery cannot be sent now, because the attempt was already recorded or the host is busy. */
  notBefore: Date | null;
  /** Whether the delivery waits because the endpoint is paused or suspended. */
  held: boolean;
  /** Whether the endpoint is paused. */
  paused: boolean;
  /** The event's record if the endpoint requires the order of each record; otherwise null. */
  record: string | null;
  /** Whether an earlier delivery of the same record is pending and was not claimed together with this one. */
  blocked: boolean;
  /** Whether the limit of requests in flight to the host is reached. */
  busy: boolean;
  interface: 'payments' | 'records';
  url: string;
  variant: string | null;
  /** The client that owns the endpoint. Payloads contain its external ids. */
  clientId: string | null;
  /** Whether the endpoint is active. */
  active: boolean;
  /** Whether the endpoint subscribes to this event type; its subscription may have changed since the event. */
  subscribed: boolean;
  eventId: string;
  type: string;
  data: unknown;
  origin: string | null;
  createdAt: Date;
  /** The combined events if the endpoint combines events (`fold_seconds`). */
  fold: Fold | null;
  /** Newest first. */
  secrets: string[];
  /** The endpoint's private key; null if it was created in Studio and has not received a delivery yet. */
  signingKey: string | null;
  /** The endpoint's custom headers, which are secret. */
  headers: Readonly<Record<string, string>> | null;
  /** The known addresses of the host, at which request slots were reserved. */
  addresses: string[] | null;
}

/** A job whose delivery was deleted together with its endpoint. */
export interface DeletedDelivery extends ClaimedLaneJob {
  id: null;
}

/**
 * Reads the deliveries of claimed jobs. For each delivery that can be sent now, reserves a request slot at its host and at the
 * addresses that the host resolved to last.
 */
export function beginDeliveries(
  sql: Sql,
  claimed: Fragment,
  leaseSeconds: number,
): Statement<DueDelivery | DeletedDelivery> {
  return sql`
    with claimed as (${claimed}), due as materialized (
      select c.id as "jobId", c.attempts as claim, c.failures, c.tenant_id as "tenantId", c.traceparent, delivery.*
      from claimed c
      left join lateral (
        select d.id, d.status, d.traceparent as "deliveryTraceparent", w.interface, w.url, w.variant, w.client_id as "clientId", w.active, app.subscribes(w.events, e.type) as subscribed,
               case when d.next_at > now() then d.next_at end as later, w.paused_at is not null as paused,
               case when w.ordered then d.record_id end as record, d.sequence,
               w.ordered and d.record_id is not null and exists (
                 select from public.webhook_deliveries o
                 where o.tenant_id = d.tenant_id and o.endpoint_id = d.endpoint_id and o.record_id = d.record_id
                   and o.sequence < d.sequence and o.status = 'pending'
                   and o.id not in (select other.payload ->> 'delivery_id' from claimed other)
               ) as blocked,
               coalesce(d.fold_until <= now(), false) as "isFolding",
               case when d.changed is not null then jsonb_build_object('folded', d.folded, 'changed', d.changed) end as fold,
               e.id as "eventId", e.type, app.event_data(e) as data, e.origin, e.created_at as "createdAt",
               held.credentials -> 'secrets' as secrets, held.credentials ->> 'signing_key' as "signingKey",
               held.credentials -> 'headers' as headers
        from public.webhook_deliveries d
        join public.webhook_endpoints w on w.tenant_id = d.tenant_id and w.id = d.endpoint_id
        join public.events e            on e.tenant_id = d.tenant_id and e.id = d.event_id
        cross join lateral (select app.webhook_credentials(w.id) as credentials) as held
        where d.id = c.payload ->> 'delivery_id'
      ) as delivery on true
    ), ended_folds as materialized (
      select ended.id
      from app.end_fold_windows(
        array(select d.id from due d where d."isFolding" order by d.id),
        array(select d."eventId" from due d where d."isFolding" order by d.id)) as ended (id)
      where exists (select from due d where d."isFolding")
    ), begun as materialized (
      select * from app.begin_webhook_requests(
        array(select d.id from due d where d.status = 'pending' and d.active and d.subscribed and not d.paused and d.later is null and not d.blocked
              and (not d."isFolding" or d.id in (select g.id from ended_folds g))
              order by d.sequence nulls first), ${leaseSeconds})
    )
    select d.*,
           coalesce(d.later, b.busy_until, case when d."isFolding" and d.id not in (select g.id from ended_folds g) then now() end) as "notBefore",
           b.busy_until is not null as busy,
           d.paused or coalesce(b.held, false) as held, to_jsonb(b.addresses) as addresses
    from due d left join begun b on b.delivery_id = d.id
    order by d.sequence nulls first`;
}

/** Moves the request slot to other addresses. Returns when to retry if no slot is free. */
export function moveRequestSlot(
  sql: Sql,
  id: string,
  addresses: string[],
  leaseSeconds: number,
): Statement<{ busyUntil: Date | null }> {
  return sql`
    select app.move_webhook_request(${id}, ${`{${addresses.join(',')}}`}::text[], ${leaseSeconds}) as "busyUntil"`;
}

/** Stores this key pair for the delivery's endpoint unless it has one. Returns the private key that is stored. */
export const storeSigningKey = (
  sql: Sql,
  deliveryId: string,
  { privateKey, publicKey }: WebhookSigningKey,
): Statement<{ kept: string }> =>
  sql`select app.keep_webhook_key(${deliveryId}, ${privateKey}, ${publicKey}) as kept`;

/** Schedules the next deliveries of a replay. Returns whether the replay is fully scheduled. */
export const continueReplay = (sql: Sql, replayId: string): Statement<{ finished: boolean }> =>
  sql`select app.continue_webhook_replay(${replayId}) as finished`;

/** Releases the request slots of deliveries that were not sent. */
export const releaseRequestSlots = (sql: Sql, ids: readonly string[]): Fragment =>
  sql`select app.end_webhook_requests(${`{${ids.join(',')}}`}::text::text[])`;

export function failDelivery(sql: Sql, id: string, reason: string): Fragment {
  return sql`select app.fail_webhook_delivery(${id}, ${reason})`;
}

interface RetryRules {
  schedule: RetrySchedule;
  deactivationMinSpanSeconds: number;
}

interface DeliveryAttempt {
  id: string;
  attempt: DeliveryAttemptResult;
}

/** Records attempts in the order in which they ended, applies their consequences, and releases their request slots. */
export function recordAttempts(
  sql: Sql,
  attempts: readonly DeliveryAttempt[],
  { schedule, deactivationMinSpanSeconds }: RetryRules,
): Fragment {
  const rows = attempts.map(({ id, attempt: { status, durationMs, excerpt, error, retryAfterSeconds } }) => ({
    delivery_id: id,
    response_status: status,
    response_ms: durationMs,
    response_excerpt: excerpt,
    error,
    retry_after_seconds: retryAfterSeconds,
  }));
  return sql`
    select app.record_webhook_attempts(
      attempts         => ${JSON.stringify(rows)}::text::jsonb,
      retry_seconds    => ${`{${schedule.join(',')}}`}::text::integer[],
      min_span_seconds => ${deactivationMinSpanSeconds}
    )`;
}

interface WorkedJob {
  id: string;
  claim: number;
  delivery: string | null;
  /** When to run the job again, if it is later than the delivery's next attempt. */
  notBefore: Date | null;
  /** Whether the delivery was not sent because its webhook is paused or suspended. */
  held: boolean;
  /** Whether the delivery was not sent because earlier deliveries of its record are pending. */
  blocked: boolean;
}

/** Outcomes of jobs. A job with a pending delivery runs again when the delivery is due or no longer has to wait. */
export function jobOutcomes(sql: Sql, jobs: readonly WorkedJob[]): Fragment {
  return sql`
    select j.id, j.claim, (
      select case when d.status = 'pending' then case when j.held then app.held_until(d.id) when j.blocked then app.turn_of_delivery(d) else greatest(d.next_at, j."notBefore") end end
      from public.webhook_deliveries d where d.id = j.delivery
    ) as again_at
    from jsonb_to_recordset(${JSON.stringify(jobs)}::text::jsonb)
      as j (id uuid, claim integer, delivery text, "notBefore" timestamptz, held boolean, blocked boolean)`;
}
