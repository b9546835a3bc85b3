// Reading webhooks and their delivery log; loaded with the first request that needs it, so that a function starts quickly.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { word } from '../../platform/lists/filters.ts';
import {
  type DeliveryRecord,
  deliveryRecord,
  selectDelivery,
} from '../../webhooks/management/delivery-queries.ts';
import { checkReadable, selectWebhook, type WebhookRecord } from '../../webhooks/management/queries.ts';
import type { DeliveryResponse } from '../../webhooks/management/schema.ts';
import { serializeDelivery as serialize } from '../../webhooks/management/serialize-delivery.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { eventPayload } from '../events/event-payload.ts';
import { readableTypes, requireReadable, withReadableEvents } from '../events/event-scopes.ts';
import {
  createdFilters,
  type List,
  type ListQuery,
  type ListResult,
  readList,
  updatedFilters,
} from '../list.ts';
import { utcTime } from '../utc-time.ts';

export { keySetOf } from '../../webhooks/delivery/signatures.ts';
export { getReplay } from './replay.ts';

/** Throws `not_found`. */
export async function getWebhook({ read, tenantId }: Context, webhookId: string): Promise<WebhookRecord> {
  const rows = await withDomainErrors(read((sql) => selectWebhook(sql, tenantId, webhookId)));
  return oneRow(rows).record;
}

export const webhookList: List<WebhookRecord> = {
  table: 'webhook_endpoints',
  filters: updatedFilters,
  sorts: ['created_at'],
  record: (sql) => sql`app.webhook_record(r)`,
};

/** Payments has webhooks in the same table. */
const ofRecords = { op: 'eq', column: 'interface', value: 'records' };

export function listWebhooks(context: Context, query: ListQuery): Promise<ListResult<WebhookRecord>> {
  return readList(context, webhookList, query, [ofRecords]);
}

/** An entry of the log. Throws `not_found`, `insufficient_scope` where the actor may not read the data that was sent. */
export async function getDelivery(
  { read, tenantId, actor }: Context,
  webhookId: string,
  deliveryId: string,
): Promise<DeliveryRecord> {
  const found = read((sql) => ({
    readable: checkReadable(sql, tenantId, webhookId, readableTypes(actor)),
    delivery: selectDelivery(sql, tenantId, webhookId, deliveryId),
  }));
  const { delivery } = await withDomainErrors(withReadableEvents(actor, found));
  const { record } = oneRow(delivery);
  // It may have subscribed to others when this was sent.
  requireReadable(actor, [record.event_type]);
  return record;
}

export const deliveryList: List<DeliveryRecord> = {
  table: 'webhook_deliveries',
  idType: 'text',
  filters: { ...createdFilters, status: word },
  sorts: ['created_at'],
  record: deliveryRecord,
};

/** A page of the log. Throws `not_found`, `insufficient_scope` where the actor may not read the data that was sent. */
export async function listDeliveries(
  context: Context,
  webhookId: string,
  query: ListQuery,
): Promise<ListResult<DeliveryRecord>> {
  const { actor, tenantId } = context;
  const ofWebhook = { op: 'eq', column: 'endpoint_id', value: webhookId };
  const page = readList(context, deliveryList, query, [ofWebhook], (sql) =>
    checkReadable(sql, tenantId, webhookId, readableTypes(actor)),
  );
  const result = await withDomainErrors(withReadableEvents(actor, page));
  // It may have subscribed to others when these were sent.
  requireReadable(
    actor,
    result.records.map((delivery) => delivery.event_type),
  );
  return result;
}

/**
 * Its payload is what was sent: in the names of the webhook's variant, whichever asks; but what the webhook's client calls a
 * record, only that client sees.
 */
export const serializeDelivery = (delivery: DeliveryRecord, askedBy: string | null): DeliveryResponse =>
  serialize(
    { ...delivery, client_id: delivery.client_id === askedBy ? askedBy : null },
    eventPayload,
    utcTime,
  );
