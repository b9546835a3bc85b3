// SQL of webhook deliveries, as their job uses it.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { ClaimedInLane } from '../../platform/jobs/job.ts';
import type { RetrySchedule } from '../../platform/jobs/retry-schedule.ts';
import type { DeliveryAttemptResult } from './attempt-delivery.ts';
import type { WebhookSigningKey } from './signatures.ts';
import type { Burst } from './signed-request.ts';

/** A delivery that its job has to send, with the job. */
export interface DueDelivery extends ClaimedInLane {
  id: string;
  status: 'pending' | 'delivered' | 'failed';
  /** When to come back, if it is not to be sent now: the attempt was recorded before, or its host is busy. */
  notBefore: Date | null;
  /** Whether the endpoint is paused or suspended, so that it waits until that ends. */
  held: boolean;
  /** Whether the endpoint is paused. */
  paused: boolean;
  /** What the event is about, where its endpoint wants the order of each record; null otherwise. */
  record: string | null;
  /** Whether one of the same record comes before it that was not claimed with it. */
  blocked: boolean;
  /** Whether so many requests are under way to its host that one more would be too many. */
  busy: boolean;
  interface: 'payments' | 'records';
  url: string;
  variant: string | null;
  /** The client whose endpoint it is; records show it what it calls them. */
  clientId: string | null;
  /** Whether the endpoint is. */
  active: boolean;
  /** Whether the endpoint has events of this type: it may have had others when this one happened. */
  subscribed: boolean;
  eventId: string;
  type: string;
  data: unknown;
  origin: string | null;
  createdAt: Date;
  /** Where its endpoint had events folded: what it stands for. */
  burst: Burst | null;
  /** Newest first. */
  secrets: string[];
  /** The endpoint's private key; null for one that was made in Studio and was never sent anything. */
  signingKey: string | null;
  /** The endpoint's own headers, which nobody is shown. */
  headers: Readonly<Record<string, string>> | null;
  /** The addresses of the host that places were taken of, as far as they were known. */
  addresses: string[] | null;
}

/** A job whose delivery went with its endpoint. */
export interface LostDelivery extends ClaimedInLane {
  id: null;
}

/**
 * Reads the deliveries of claimed jobs, and takes a place for each that is to be sent now among the requests to their host and to
 * the addresses that it led to before.
 */
export function beginDeliveries(
  sql: Sql,
  claimed: Fragment,
  leaseSeconds: number,
): Statement<DueDelivery | LostDelivery> {
  return sql`
    with claimed as (${claimed}), due as materialized (
      select c.id as "jobId", c.attempts as claim, c.failures, delivery.*
      from claimed c
      left join lateral (
        select d.id, d.status, w.interface, w.url, w.variant, w.client_id as "clientId", w.active, app.subscribes(w.events, e.type) as subscribed,
               case when d.next_at > now() then d.next_at end as later, w.paused_at is not null as paused,
               case when w.ordered then d.record_id end as record, d.sequence,
               w.ordered and d.record_id is not null and exists (
                 select from public.webhook_deliveries o
                 where o.tenant_id = d.tenant_id and o.endpoint_id = d.endpoint_id and o.record_id = d.record_id
                   and o.sequence < d.sequence and o.status = 'pending'
                   and o.id not in (select other.payload ->> 'delivery_id' from claimed other)
               ) as blocked,
               coalesce(d.fold_until <= now(), false) as gathers,
               case when d.changed is not null then jsonb_build_object('folded', d.folded, 'changed', d.changed) end as burst,
               e.id as "eventId", e.type, app.event_data(e) as data, e.origin, e.created_at as "createdAt",
               held.credentials -> 'secrets' as secrets, held.credentials ->> 'signing_key' as "signingKey",
               held.credentials -> 'headers' as headers
        from public.webhook_deliveries d
        join public.webhook_endpoints w on w.tenant_id = d.tenant_id and w.id = d.endpoint_id
        join public.events e            on e.tenant_id = d.tenant_id and e.id = d.event_id
        cross join lateral (select app.webhook_credentials(w.id) as credentials) as held
        where d.id = c.payload ->> 'delivery_id'
      ) as delivery on true
    ), gathered as materialized (
      select ended.id
      from app.end_fold_windows(
        array(select d.id from due d where d.gathers order by d.id),
        array(select d."eventId" from due d where d.gathers order by d.id)) as ended (id)
      where exists (select from due d where d.gathers)
    ), begun as materialized (
      select * from app.begin_webhook_requests(
        array(select d.id from due d where d.status = 'pending' and d.active and d.subscribed and not d.paused and d.later is null and not d.blocked
              and (not d.gathers or d.id in (select g.id from gathered g))
              order by d.sequence nulls first), ${leaseSeconds})
    )
    select d.*,
           coalesce(d.later, b.busy_until, case when d.gathers and d.id not in (select g.id from gathered g) then now() end) as "notBefore",
           b.busy_until is not null as busy,
           d.paused or coalesce(b.held, false) as held, to_jsonb(b.addresses) as addresses
    from due d left join begun b on b.delivery_id = d.id
    order by d.sequence nulls first`;
}

/** Takes the places of other addresses instead. Gives when to ask again, where none is free. */
export function moveRequest(
  sql: Sql,
  id: string,
  addresses: string[],
  leaseSeconds: number,
): Statement<{ busyUntil: Date | null }> {
  return sql`
    select app.move_webhook_request(${id}, ${`{${addresses.join(',')}}`}::text[], ${leaseSeconds}) as "busyUntil"`;
}

/** Gives the endpoint of a delivery this key pair, where it has none. Gives the private key that it has. */
export const keepSigningKey = (
  sql: Sql,
  deliveryId: string,
  { privateKey, publicKey }: WebhookSigningKey,
): Statement<{ kept: string }> =>
  sql`select app.keep_webhook_key(${deliveryId}, ${privateKey}, ${publicKey}) as kept`;

/** Schedules the next deliveries of a replay; says whether these were all. */
export const continueReplay = (sql: Sql, replayId: string): Statement<{ finished: boolean }> =>
  sql`select app.continue_webhook_replay(${replayId}) as finished`;

/** Gives places back that deliveries took and did not use. */
export const endRequests = (sql: Sql, ids: readonly string[]): Fragment =>
  sql`select app.end_webhook_requests(${`{${ids.join(',')}}`}::text::text[])`;

export function failDelivery(sql: Sql, id: string, reason: string): Fragment {
  return sql`select app.fail_webhook_delivery(${id}, ${reason})`;
}

export interface RetryRules {
  schedule: RetrySchedule;
  deactivationMinSpanSeconds: number;
}

export interface DeliveryAttempt {
  id: string;
  attempt: DeliveryAttemptResult;
}

/** Records attempts, in the order in which they ended, and what follows from them, and gives their places back. */
export function recordAttempts(
  sql: Sql,
  attempts: readonly DeliveryAttempt[],
  { schedule, deactivationMinSpanSeconds }: RetryRules,
): Fragment {
  const made = attempts.map(({ id, attempt: { status, durationMs, excerpt, error, retryAfterSeconds } }) => ({
    delivery_id: id,
    response_status: status,
    response_ms: durationMs,
    response_excerpt: excerpt,
    error,
    retry_after_seconds: retryAfterSeconds,
  }));
  return sql`
    select app.record_webhook_attempts(
      attempts         => ${JSON.stringify(made)}::text::jsonb,
      retry_seconds    => ${`{${schedule.join(',')}}`}::text::integer[],
      min_span_seconds => ${deactivationMinSpanSeconds}
    )`;
}

export interface WorkedJob {
  id: string;
  claim: number;
  delivery: string | null;
  /** When it is to be tried, where that is not for its delivery to say. */
  notBefore: Date | null;
  /** Whether it was not sent because its webhook is paused or suspended. */
  held: boolean;
  /** Whether it was not sent because others of its record come before it. */
  blocked: boolean;
}

/** What becomes of jobs: those of deliveries that are pending run again when these are due, or when what holds them ends. */
export function jobOutcomes(sql: Sql, jobs: readonly WorkedJob[]): Fragment {
  return sql`
    select j.id, j.claim, (
      select case when d.status = 'pending' then case when j.held then app.held_until(d.id) when j.blocked then app.turn_of_delivery(d) else greatest(d.next_at, j."notBefore") end end
      from public.webhook_deliveries d where d.id = j.delivery
    ) as again_at
    from jsonb_to_recordset(${JSON.stringify(jobs)}::text::jsonb)
      as j (id uuid, claim integer, delivery text, "notBefore" timestamptz, held boolean, blocked boolean)`;
}
