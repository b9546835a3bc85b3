// SQL of webhooks; for deliveries see `delivery-queries.ts`. The session determines the interface (`app.webhook_interface`); webhooks
// of the other interface do not exist for it.

import type { NamingVariant } from '../../platform/access/context.ts';
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { RowAs } from '../../platform/db/row.ts';
import { columnList, columnsFromJson, type JsonColumns } from '../../platform/db/sql.ts';
import type { KeysetQuery } from '../../platform/lists/keyset-list.ts';
import type { WebhookSigningKey } from '../delivery/signed-request.ts';
import type { EventFilter } from './event-filters.ts';
import type { Headers } from './headers.ts';
import type { WebhookStatus } from './states.ts';

/** A webhook as stored: the result of `app.webhook_record`. */
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
    filters: EventFilter[];
    changed: string[];
    /** Null means all events of payments that do not have to be named explicitly. */
    events: string[] | null;
    status: WebhookStatus;
    variant: NamingVariant | null;
    /** Present only in the request that sets it. */
    secret?: string;
  }
>;

/** Event types that the caller may read; null means all. */
export type ReadableEventTypes = string[] | null;

/** Event types as a Postgres array literal; they contain no characters that need quoting. */
export const asArray = (types: string[] | null): string | null => types && `{${types.join(',')}}`;

type WebhookRow = { record: WebhookRecord };

/** Raises `webhook_missing`. */
export function selectWebhook(sql: Sql, tenantId: string, webhookId: string): Statement<WebhookRow> {
  return sql`
    select coalesce((
      select app.webhook_record(w) from public.webhook_endpoints w
      where w.tenant_id = ${tenantId} and w.id = ${webhookId} and w.interface = app.webhook_interface()
    ), app.raise_domain_error('webhook_missing')) as record`;
}

/** Raises `webhook_missing`, and `events_not_readable` if the webhook has events that are not `readable`. */
export function checkReadable(
  sql: Sql,
  tenantId: string,
  webhookId: string,
  readable: ReadableEventTypes,
): Fragment {
  return sql`
    select coalesce((
      select to_jsonb(app.check_readable(w.events, ${asArray(readable)}::text[])) from public.webhook_endpoints w
      where w.tenant_id = ${tenantId} and w.id = ${webhookId} and w.interface = app.webhook_interface()
    ), app.raise_domain_error('webhook_missing'))`;
}

/** What a new webhook has in addition to the columns of the request. */
interface NewEndpoint {
  id: string;
  variant: NamingVariant | null;
  clientId: string | null;
  key: WebhookSigningKey;
  secret: string | null | undefined;
  headers: Headers | null | undefined;
}

const asJson = (headers: Headers | null | undefined): string => JSON.stringify(headers ?? {});

/** Inserts a webhook with its key, secret and headers. */
export const insertWebhook = (
  sql: Sql,
  tenantId: string,
  { id, variant, clientId, key, secret, headers }: NewEndpoint,
  columns: JsonColumns,
  webhook: object,
) => ({
  webhook: sql<WebhookRow>`
    insert into public.webhook_endpoints as w
      (id, tenant_id, interface, client_id, variant, public_key, header_names, ${columnList(sql, columns)})
    select ${id}, ${tenantId}, app.webhook_interface(), ${clientId}, ${variant}, ${key.publicKey},
           array(select jsonb_object_keys(${asJson(headers)}::text::jsonb) as name order by name), ${columnsFromJson(sql, columns)}
    from jsonb_populate_record(null::public.webhook_endpoints, ${JSON.stringify(webhook)}::jsonb) as r
    returning app.webhook_record(w) as record`,
  key: sql`select app.set_webhook_key(${id}, ${key.privateKey})`,
  secret: secret ? setSecret(sql, id, secret) : [],
  headers: headers ? sql`select app.set_webhook_headers(${id}, ${asJson(headers)}::text::jsonb)` : [],
});

/** Replaces the secret; null removes it. */
export const setSecret = (sql: Sql, webhookId: string, secret: string | null): Fragment =>
  sql`select app.set_webhook_secret(${webhookId}, ${secret})`;

/** The client that changes a webhook, and the events that the webhook may have before the change; null means any. */
interface ChangedBy {
  clientId: string | null;
  readable: ReadableEventTypes;
}

/** The change of a webhook; null removes its headers. */
interface WebhookColumns {
  url?: string | undefined;
  active?: boolean | undefined;
  headers?: Headers | null | undefined;
}

/**
 * Updates the columns in the change, and the headers. Activating the webhook resets its failures. A client that changes the URL or activates the webhook
 * becomes its owner. Raises `webhook_missing` and `events_not_readable`.
 */
export function updateWebhook(
  sql: Sql,
  tenantId: string,
  webhookId: string,
  columns: JsonColumns,
  { headers, ...change }: WebhookColumns,
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
      set (${columnList(sql, columns)}) = (
            select ${columnsFromJson(sql, columns)} from jsonb_populate_record(w, ${JSON.stringify(change)}::jsonb) as r
          ),
          ${headers === undefined ? sql`` : sql`header_names = app.set_webhook_headers(w.id, ${asJson(headers)}::text::jsonb),`}
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

/** Deletes the webhook and its log. Raises `webhook_missing`. */
export function deleteWebhook(sql: Sql, tenantId: string, webhookId: string): Fragment {
  return sql`
    with gone as (
      delete from public.webhook_endpoints
      where tenant_id = ${tenantId} and id = ${webhookId} and interface = app.webhook_interface()
      returning 1
    )
    select coalesce((select to_jsonb(1) from gone), app.raise_domain_error('webhook_missing'))`;
}

/** Adds a new secret. The previous one also signs for another 24 hours. Raises `webhook_missing`. */
export const rotateSecret = (sql: Sql, webhookId: string, secret: string): Fragment =>
  sql`select app.rotate_webhook_secret(${webhookId}, ${secret})`;

/** A page of the interface's webhooks, and one more row to detect whether there is a next page. */
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

/** Pauses or resumes a webhook. Raises `webhook_missing`, `webhook_inactive` and `events_not_readable`. */
export const setWebhookPaused = (
  sql: Sql,
  webhookId: string,
  paused: boolean,
  readable: ReadableEventTypes,
): Statement<WebhookRow> =>
  sql`select app.hold_webhook(${webhookId}, ${asArray(readable)}::text[], ${paused}) as record`;
