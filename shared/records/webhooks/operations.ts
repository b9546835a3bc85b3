// Webhooks that integrators manage themselves. SQL of `webhook_endpoints` as far as records use it, and of the log.
import { randomUUID } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import type { Sql, Statement } from '../../platform/db/database.ts';
import { oneRow } from '../../platform/db/rows.ts';
import { ApiError } from '../../platform/errors.ts';
import { withDomainErrors } from '../domain-errors.ts';
import {
  changedFilters,
  createdFilters,
  type List,
  type ListQuery,
  type ListResult,
  readList,
  word,
} from '../list.ts';
import type { Row } from '../variants/naming.ts';
import type { VariantId } from '../variants/variant.ts';
import type { NewWebhook, WebhookChange } from './schema.ts';

export const webhookList: List = {
  table: 'webhook_endpoints',
  filters: changedFilters,
  sorts: ['created_at'],
  record: (sql) => sql`app.webhook_record(r)`,
};

const ofRecords = { op: 'eq', column: 'interface', value: 'records' };

export const deliveryList: List = {
  table: 'webhook_deliveries',
  idType: 'text',
  filters: { ...createdFilters, status: word },
  sorts: ['created_at'],
  record: (sql) => sql`(
    select jsonb_build_object(
      'id', r.id, 'event_id', r.event_id, 'event_type', e.type, 'event_data', e.data, 'origin', e.origin,
      'event_created_at', e.created_at, 'variant', w.variant, 'response_status', r.last_status,
      'response_time_ms', (
        select a.response_ms from public.webhook_attempts a
        where a.tenant_id = r.tenant_id and a.delivery_id = r.id order by a.id desc limit 1
      ),
      'status', r.status, 'attempts', r.attempts, 'created_at', r.created_at, 'next_attempt_at', r.next_at
    )
    from public.events e, public.webhook_endpoints w
    where e.tenant_id = r.tenant_id and e.id = r.event_id and w.tenant_id = r.tenant_id and w.id = r.endpoint_id
  )`,
};

/** Where webhooks of this deployment may lead. */
export interface DestinationRules {
  allowInsecure: boolean;
  /** Every address of a name; none when it has none, or cannot be resolved. */
  resolve(host: string): Promise<string[]>;
}

/** As the table has it: parsers of URLs put up with more. */
const PLAIN_URL = /^https?:\/\/[^/?#@\\\s]+([/?#]\S*)?$/i;

/** Throws `validation` naming `url` when nothing may ever be sent there; a name without an address may get one later. */
async function checkUrl(url: string, rules: DestinationRules): Promise<void> {
  // Loaded where an address is saved, which few requests do.
  const { checkDestination, DestinationError } = await import('../../webhooks/destinations.ts');
  if (!PLAIN_URL.test(url)) throw forbiddenUrl('must be a URL with a host, without spaces and credentials');
  try {
    await checkDestination(url, rules);
  } catch (error) {
    if (!(error instanceof DestinationError)) throw error;
    if (error.rule === 'unresolvable') return;
    throw forbiddenUrl(`is not allowed: ${error.message}`);
  }
}

const forbiddenUrl = (message: string) =>
  new ApiError('validation', 'Fix these fields.', { details: [{ field: 'url', message }] });

interface One {
  record: Row;
}

const setSecret = (sql: Sql, id: string, secret: string | null): Statement =>
  sql`select app.set_webhook_secret(${id}, ${secret})`;

/** Throws `validation` for an address that is not allowed. */
export async function createWebhook(
  { write, tenantId }: Context,
  { secret, ...webhook }: NewWebhook,
  variant: VariantId,
  rules: DestinationRules,
): Promise<Row> {
  await checkUrl(webhook.url, rules);
  const id = randomUUID();
  const [rows] = await write((sql) => [
    sql`
      insert into public.webhook_endpoints as w (id, tenant_id, interface, url, events, description, active, variant)
      select ${id}, ${tenantId}, 'records', r.url, r.events, r.description, coalesce(r.active, true), ${variant}
      from jsonb_populate_record(null::public.webhook_endpoints, ${JSON.stringify(webhook)}::jsonb) as r
      returning app.webhook_record(w) as record`,
    ...(secret ? [setSecret(sql, id, secret)] : []),
  ]);
  return { ...oneRow<One>(rows).record, ...(secret && { secret }) };
}

/** Throws `not_found`. */
export async function getWebhook({ transaction, tenantId }: Context, id: string): Promise<Row> {
  const [rows] = await withDomainErrors(
    transaction((sql) => [
      sql`
        select coalesce((
          select app.webhook_record(w) from public.webhook_endpoints w
          where w.tenant_id = ${tenantId} and w.id = ${id} and w.interface = 'records'
        ), app.raise_domain_error('webhook_missing')) as record`,
    ]),
  );
  return oneRow<One>(rows).record;
}

export function listWebhooks(context: Context, query: ListQuery): Promise<ListResult> {
  return readList(context, webhookList, query, [ofRecords]);
}

/** Changes what is given; a secret replaces the one before at once. Throws `not_found`, `validation`. */
export async function changeWebhook(
  { write, tenantId }: Context,
  id: string,
  { secret, ...change }: WebhookChange,
  rules: DestinationRules,
): Promise<Row> {
  if (change.url !== undefined) await checkUrl(change.url, rules);
  const activated = change.active === true;
  const [rows] = await withDomainErrors(
    write((sql) => [
      sql`
        with changed as (
          update public.webhook_endpoints w
          set (url, events, description, active) = (
                select r.url, r.events, r.description, r.active
                from jsonb_populate_record(w, ${JSON.stringify(change)}::jsonb) as r
              ),
              consecutive_failures = case when ${activated} then 0 else w.consecutive_failures end,
              first_failure_at     = case when not ${activated} then w.first_failure_at end,
              deactivated_at       = case when not ${activated} then w.deactivated_at end,
              deactivation_reason  = case when not ${activated} then w.deactivation_reason end
          where w.tenant_id = ${tenantId} and w.id = ${id} and w.interface = 'records'
          returning app.webhook_record(w) as record
        )
        select coalesce((select record from changed), app.raise_domain_error('webhook_missing')) as record`,
      ...(secret === undefined ? [] : [setSecret(sql, id, secret)]),
    ]),
  );
  return oneRow<One>(rows).record;
}

/** Removes it with its log. Throws `not_found`. */
export async function deleteWebhook({ write, tenantId }: Context, id: string): Promise<void> {
  await withDomainErrors(
    write((sql) => [
      sql`
        with gone as (
          delete from public.webhook_endpoints
          where tenant_id = ${tenantId} and id = ${id} and interface = 'records'
          returning 1
        )
        select coalesce((select to_jsonb(1) from gone), app.raise_domain_error('webhook_missing'))`,
    ]),
  );
}

/** Sends the event `webhook.test` to this webhook alone. Throws `not_found`, `conflict` when it is not active. */
export async function testWebhook({ write }: Context, id: string): Promise<Row> {
  const [rows] = await withDomainErrors(write((sql) => [sql`select app.test_webhook(${id}) as record`]));
  return oneRow<One>(rows).record;
}

/** Sends a delivery again. Throws `not_found`, `conflict` when the webhook is not active. */
export async function replayDelivery({ write }: Context, id: string, deliveryId: string): Promise<Row> {
  const [rows] = await withDomainErrors(
    write((sql) => [sql`select app.replay_webhook_delivery(${id}, ${deliveryId}) as record`]),
  );
  return oneRow<One>(rows).record;
}

/** A page of the delivery log. Throws `not_found`. */
export async function listDeliveries(context: Context, id: string, query: ListQuery): Promise<ListResult> {
  const ofWebhook = { op: 'eq', column: 'endpoint_id', value: id };
  return await withDomainErrors(
    readList(context, deliveryList, query, [ofWebhook], (sql) => [
      sql`
        select coalesce((
          select to_jsonb(w.id) from public.webhook_endpoints w
          where w.tenant_id = ${context.tenantId} and w.id = ${id} and w.interface = 'records'
        ), app.raise_domain_error('webhook_missing'))`,
    ]),
  );
}
