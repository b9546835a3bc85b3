// SQL of webhook deliveries: the log and replays. As in `queries.ts`, the session determines the interface.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { Columns } from '../../platform/db/row.ts';
import type { Fold } from '../event.ts';
import { asArray, type ReadableEventTypes } from './queries.ts';
import type { Replay, ReplayRequest, ReplayResponse, TestResponse } from './schema.ts';
import type { DeliveryStatus } from './states.ts';

/** An attempt to deliver. */
interface AttemptRecord {
  at: string;
  status: number | null;
  error: string | null;
  duration_ms: number;
}

/** Maximum attempts returned per delivery, because replays add attempts without limit. */
const MAX_ATTEMPTS_SHOWN = 20;

/** A delivery with the stored event. */
export type DeliveryRecord = Columns<'webhook_deliveries', 'id' | 'event_id' | 'created_at'> & {
  attempt_count: number;
  /** Why it has not been delivered; null if it has been, or before the first attempt. */
  error: string | null;
  /** Beginning of the last response. */
  response_excerpt: string | null;
  /** The latest attempts, oldest first. */
  attempts: AttemptRecord[];
  event_type: string;
  event_data: unknown;
  origin: string | null;
  event_created_at: string;
  variant: string | null;
  client_id: string | null;
  fold: Fold | null;
  response_status: number | null;
  response_time_ms: number | null;
  status: DeliveryStatus;
  next_attempt_at: string | null;
};

/** Raises `webhook_missing` and `webhook_inactive`. */
export const insertTest = (sql: Sql, webhookId: string): Statement<{ record: TestResponse }> =>
  sql`select app.test_webhook(${webhookId}) as record`;

/** Raises `delivery_missing`, `events_not_readable`, `webhook_inactive` and `event_unsubscribed`. */
export const startDeliveryReplay = (
  sql: Sql,
  webhookId: string,
  deliveryId: string,
  readable: ReadableEventTypes,
): Statement<{ record: ReplayResponse }> =>
  sql`select app.replay_webhook_delivery(${webhookId}, ${deliveryId}, ${asArray(readable)}::text[]) as record`;

/**
 * Starts a replay, or returns the same one if it is running. Raises `webhook_missing`, `webhook_inactive`, `too_many_replays` and
 * `events_not_readable`.
 */
export const insertReplay = (
  sql: Sql,
  webhookId: string,
  { since, failed }: ReplayRequest,
  readable: ReadableEventTypes,
): Statement<{ record: Replay }> => sql`
  select app.replay_webhook(
    ${webhookId}, ${since ?? null}, ${failed ?? false}, ${asArray(readable)}::text[]) as record`;

/** Raises `replay_missing`. */
export const selectReplay = (
  sql: Sql,
  tenantId: string,
  webhookId: string,
  replayId: string,
): Statement<{ record: Replay }> => sql`
  select coalesce((
    select app.webhook_replay_record(r) from public.webhook_replays r
    join public.webhook_endpoints w on w.tenant_id = r.tenant_id and w.id = r.endpoint_id
    where r.tenant_id = ${tenantId} and r.id = ${replayId} and w.id = ${webhookId} and w.interface = app.webhook_interface()
  ), app.raise_domain_error('replay_missing')) as record`;

/** SQL that converts a row `r` to a `DeliveryRecord`. */
export const deliveryRecord = (sql: Sql): Fragment => sql`(
  select jsonb_build_object(
    'id', r.id, 'event_id', r.event_id, 'event_type', e.type, 'event_data', app.event_data(e), 'origin', e.origin,
    'fold', case when r.changed is not null then jsonb_build_object('folded', r.folded, 'changed', r.changed) end,
    'event_created_at', e.created_at, 'variant', w.variant, 'client_id', w.client_id, 'response_status', r.last_status,
    'response_time_ms', tried.attempts -> -1 -> 'duration_ms', 'response_excerpt', tried.excerpt,
    'error', r.last_error, 'attempts', coalesce(tried.attempts, '[]'),
    'status', r.status, 'attempt_count', r.attempts, 'created_at', r.created_at, 'next_attempt_at', case
      when w.active and w.paused_at is null then greatest(r.next_at, case when r.next_at is not null then w.suspended_until end)
    end
  )
  from public.events e, public.webhook_endpoints w, (
    select jsonb_agg(jsonb_build_object('at', a.at, 'status', a.response_status, 'error', a.error, 'duration_ms', a.response_ms)
                     order by a.id) as attempts,
           (array_agg(a.response_excerpt order by a.id desc))[1] as excerpt
    from (
      select * from public.webhook_attempts a
      where a.tenant_id = r.tenant_id and a.delivery_id = r.id order by a.id desc limit ${MAX_ATTEMPTS_SHOWN}
    ) as a
  ) as tried
  where e.tenant_id = r.tenant_id and e.id = r.event_id and w.tenant_id = r.tenant_id and w.id = r.endpoint_id
    and w.interface = app.webhook_interface()
)`;

/** Raises `delivery_missing`. */
export const selectDelivery = (
  sql: Sql,
  tenantId: string,
  webhookId: string,
  deliveryId: string,
): Statement<{ record: DeliveryRecord }> => sql`
  select coalesce((
    select ${deliveryRecord(sql)} from public.webhook_deliveries r
    where r.tenant_id = ${tenantId} and r.id = ${deliveryId} and r.endpoint_id = ${webhookId}
  ), app.raise_domain_error('delivery_missing')) as record`;
