// SQL of webhooks that integrators manage themselves, and of their log. The session says of which interface they are: what the
// other one has is not there (`app.webhook_interface`).

import type { NamingVariant } from '../../platform/context.ts';
import { type Fragment, oneRow, type Sql, type Statement } from '../../platform/db/database.ts';
import { fromJson, type JsonColumns, namesOf } from '../../platform/db/json-columns.ts';
import type { Columns, RowAs } from '../../platform/db/row.ts';
import type { KeysetQuery } from '../../platform/lists/keyset-list.ts';
import type { Burst } from '../signed-request.ts';
import type { SigningKey } from '../signing-keys.ts';
import type { Headers } from './headers.ts';
import type { Filter } from './narrowing.ts';
import type { Replay, ReplayRequest, ReplayResponse, TestResponse } from './schema.ts';
import type { DeliveryStatus, WebhookStatus } from './states.ts';

/** A webhook in stored form: what `app.webhook_record` gives. */
export type WebhookRecord = RowAs<
  'webhook_endpoints',
  | 'tenant_id'
  | 'interface'
  | 'client_id'
  | 'paused_at'
  | 'suspended_until'
  | 'suspensions'
  | 'consecutive_failures'
  | 'first_failure_at'
  | 'deactivated_at'
  | 'deactivation_reason'
  | 'filter_rules'
  | 'changed_rules',
  {
    filters: Filter[];
    changed: string[];
    /** Null for all of payments that need not be named. */
    events: string[] | null;
    status: WebhookStatus;
    variant: NamingVariant | null;
    /** Known to the request that sets it, and to no other. */
    secret?: string;
  }
>;

/** One try to deliver. */
export interface AttemptRecord {
  at: string;
  status: number | null;
  error: string | null;
  duration_ms: number;
}

/** Attempts that an entry of the log shows: replays have no end. */
const SHOWN_ATTEMPTS = 20;

/** An entry of the delivery log, with the event as it is stored. */
export type DeliveryRecord = Columns<'webhook_deliveries', 'id' | 'event_id' | 'created_at'> & {
  attempt_count: number;
  /** Why it is not delivered; null when it is, or was not tried yet. */
  error: string | null;
  /** The beginning of the last answer. */
  response_excerpt: string | null;
  /** The latest ones, in their order. */
  attempts: AttemptRecord[];
  event_type: string;
  event_data: unknown;
  origin: string | null;
  event_created_at: string;
  variant: string | null;
  client_id: string | null;
  burst: Burst | null;
  response_status: number | null;
  response_time_ms: number | null;
  status: DeliveryStatus;
  next_attempt_at: string | null;
};

/** Types of events that the caller may read; null for any. */
export type Readable = string[] | null;

/** Event types as an array's text: they have nothing in them that would need quotes. */
const asArray = (types: string[] | null): string | null => types && `{${types.join(',')}}`;

type WebhookRow = { record: WebhookRecord };

/** Raises `webhook_missing`. */
export function selectWebhook(sql: Sql, tenantId: string, webhookId: string): Statement<WebhookRow> {
  return sql`
    select coalesce((
      select app.webhook_record(w) from public.webhook_endpoints w
      where w.tenant_id = ${tenantId} and w.id = ${webhookId} and w.interface = app.webhook_interface()
    ), app.raise_domain_error('webhook_missing')) as record`;
}

/** Raises `webhook_missing`, and `events_not_readable` when it has other events than these. */
export function checkReadable(sql: Sql, tenantId: string, webhookId: string, readable: Readable): Fragment {
  return sql`
    select coalesce((
      select to_jsonb(app.check_readable(w.events, ${asArray(readable)}::text[])) from public.webhook_endpoints w
      where w.tenant_id = ${tenantId} and w.id = ${webhookId} and w.interface = app.webhook_interface()
    ), app.raise_domain_error('webhook_missing'))`;
}

/** What a new webhook is beside what its maker says of it. */
export interface NewEndpoint {
  id: string;
  variant: NamingVariant | null;
  clientId: string | null;
  publicKey: string;
}

export function insertWebhook(
  sql: Sql,
  tenantId: string,
  { id, variant, clientId, publicKey }: NewEndpoint,
  columns: JsonColumns,
  webhook: object,
): Statement<WebhookRow> {
  return sql`
    insert into public.webhook_endpoints as w
      (id, tenant_id, interface, client_id, variant, public_key, ${namesOf(sql, columns)})
    select ${id}, ${tenantId}, app.webhook_interface(), ${clientId}, ${variant}, ${publicKey}, ${fromJson(sql, columns)}
    from jsonb_populate_record(null::public.webhook_endpoints, ${JSON.stringify(webhook)}::jsonb) as r
    returning app.webhook_record(w) as record`;
}

/** In place of the one it had; null takes it away. */
export const setSecret = (sql: Sql, webhookId: string, secret: string | null): Fragment =>
  sql`select app.set_webhook_secret(${webhookId}, ${secret})`;

/** The private key of a new webhook. */
export const setSigningKey = (sql: Sql, webhookId: string, { privateKey }: SigningKey): Fragment =>
  sql`select app.set_webhook_key(${webhookId}, ${privateKey})`;

/** In place of those it had; null takes them away. Gives the webhook as it is then (`recordWithHeaders`). */
export const setHeaders = (
  sql: Sql,
  tenantId: string,
  webhookId: string,
  headers: Headers | null | undefined,
): Fragment[] =>
  headers === undefined
    ? []
    : [
        sql`select app.set_webhook_headers(${webhookId}, ${JSON.stringify(headers ?? {})}::text::jsonb)`,
        selectWebhook(sql, tenantId, webhookId),
      ];

/** The record after statements of which the first gives it, and `setHeaders` comes last. */
export function recordWithHeaders(
  [written, ...others]: readonly (readonly unknown[])[],
  headers: Headers | null | undefined,
): WebhookRecord {
  // The compiler cannot tell one element of a list from the others when it does not know their number.
  const rows = (headers === undefined ? written : others.at(-1)) as readonly WebhookRow[];
  return oneRow(rows).record;
}

/** Who changes a webhook, and which events it may have before the change; null means any. */
export interface ChangedBy {
  clientId: string | null;
  readable: Readable;
}

/**
 * Changes what `change` has; activating it forgets earlier failures. It is theirs who move or activate it. Raises
 * `webhook_missing`, and `events_not_readable`.
 */
export function updateWebhook(
  sql: Sql,
  tenantId: string,
  webhookId: string,
  columns: JsonColumns,
  change: { url?: string | undefined; active?: boolean | undefined },
  { clientId, readable }: ChangedBy,
): Statement<WebhookRow> {
  const activated = change.active === true;
  const url = change.url ?? null;
  return sql`
    with before as (
      select w.id, w.events from public.webhook_endpoints w
      where w.tenant_id = ${tenantId} and w.id = ${webhookId} and w.interface = app.webhook_interface()
      for no key update
    ), changed as (
      update public.webhook_endpoints w
      set (${namesOf(sql, columns)}) = (
            select ${fromJson(sql, columns)} from jsonb_populate_record(w, ${JSON.stringify(change)}::jsonb) as r
          ),
          client_id            = case when ${url}::text <> w.url or (${activated} and not w.active)
                                      then ${clientId} else w.client_id end,
          consecutive_failures = case when ${activated} then 0 else w.consecutive_failures end,
          first_failure_at     = case when not ${activated} then w.first_failure_at end,
          suspended_until      = case when not ${activated} then w.suspended_until end,
          suspensions          = case when not ${activated} then w.suspensions else 0 end,
          deactivated_at       = case when not ${activated} then w.deactivated_at end,
          deactivation_reason  = case when not ${activated} then w.deactivation_reason end
      from before
      where w.tenant_id = ${tenantId} and w.id = before.id
        and (${asArray(readable)}::text[] is null
             or app.check_readable(before.events, ${asArray(readable)}::text[]))
      returning app.webhook_record(w) as record
    )
    select coalesce((select record from changed), app.raise_domain_error('webhook_missing')) as record`;
}

/** Removes it with its log; raises `webhook_missing`. */
export function deleteWebhook(sql: Sql, tenantId: string, webhookId: string): Fragment {
  return sql`
    with gone as (
      delete from public.webhook_endpoints
      where tenant_id = ${tenantId} and id = ${webhookId} and interface = app.webhook_interface()
      returning 1
    )
    select coalesce((select to_jsonb(1) from gone), app.raise_domain_error('webhook_missing'))`;
}

/** A new secret beside the one it had, which signs for 24 hours more. Raises `webhook_missing`. */
export const rotateSecret = (sql: Sql, webhookId: string, secret: string): Fragment =>
  sql`select app.rotate_webhook_secret(${webhookId}, ${secret})`;

/** A page of the interface's webhooks by cursor, and one row more. */
export function selectWebhookPage(
  sql: Sql,
  tenantId: string,
  { limit, startingAfter, endingBefore }: KeysetQuery,
): Statement<WebhookRow> {
  const at = (id: string) =>
    sql`(select c.created_at, c.id from public.webhook_endpoints c where c.tenant_id = ${tenantId} and c.id = ${id})`;
  const after = startingAfter === undefined ? sql`` : sql`and (w.created_at, w.id) < ${at(startingAfter)}`;
  const before = endingBefore === undefined ? sql`` : sql`and (w.created_at, w.id) > ${at(endingBefore)}`;
  const order = endingBefore === undefined ? sql`desc` : sql`asc`;
  return sql`
    select app.webhook_record(w) as record from public.webhook_endpoints w
    where w.tenant_id = ${tenantId} and w.interface = app.webhook_interface() ${after} ${before}
    order by w.created_at ${order}, w.id ${order} limit ${limit + 1}`;
}

/** Raises `webhook_missing` and `webhook_inactive`. */
export const insertTest = (sql: Sql, webhookId: string): Statement<{ record: TestResponse }> =>
  sql`select app.test_webhook(${webhookId}) as record`;

/** Pauses it, or resumes it. Raises `webhook_missing`, `webhook_inactive` and `events_not_readable`. */
export const holdWebhook = (
  sql: Sql,
  webhookId: string,
  paused: boolean,
  readable: Readable,
): Statement<WebhookRow> =>
  sql`select app.hold_webhook(${webhookId}, ${asArray(readable)}::text[], ${paused}) as record`;

/** Raises `delivery_missing`, `events_not_readable`, `webhook_inactive` and `event_unsubscribed`. */
export const renewDelivery = (
  sql: Sql,
  webhookId: string,
  deliveryId: string,
  readable: Readable,
): Statement<{ record: ReplayResponse }> =>
  sql`select app.replay_webhook_delivery(${webhookId}, ${deliveryId}, ${asArray(readable)}::text[]) as record`;

/** Begins a replay. Raises `webhook_missing`, `webhook_inactive` and `events_not_readable`. */
export const insertReplay = (
  sql: Sql,
  webhookId: string,
  { since, failed }: ReplayRequest,
  readable: Readable,
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

/** SQL that makes a `DeliveryRecord` of a row named `r`. */
export const deliveryRecord = (sql: Sql): Fragment => sql`(
  select jsonb_build_object(
    'id', r.id, 'event_id', r.event_id, 'event_type', e.type, 'event_data', app.event_data(e), 'origin', e.origin,
    'burst', case when coalesce(w.fold_seconds, cardinality(r.changed)) is not null
                  then jsonb_build_object('folded', r.folded, 'changed', coalesce(r.changed, e.changed)) end,
    'event_created_at', e.created_at, 'variant', w.variant, 'client_id', w.client_id, 'response_status', r.last_status,
    'response_time_ms', tried.attempts -> -1 -> 'duration_ms', 'response_excerpt', tried.excerpt,
    'error', r.last_error, 'attempts', coalesce(tried.attempts, '[]'),
    'status', r.status, 'attempt_count', r.attempts, 'created_at', r.created_at, 'next_attempt_at', r.next_at
  )
  from public.events e, public.webhook_endpoints w, (
    select jsonb_agg(jsonb_build_object('at', a.at, 'status', a.response_status, 'error', a.error, 'duration_ms', a.response_ms)
                     order by a.id) as attempts,
           (array_agg(a.response_excerpt order by a.id desc))[1] as excerpt
    from (
      select * from public.webhook_attempts a
      where a.tenant_id = r.tenant_id and a.delivery_id = r.id order by a.id desc limit ${SHOWN_ATTEMPTS}
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
