// Reads webhooks and their delivery log.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { utcTime } from '../../platform/instants.ts';
import { word } from '../../platform/lists/filters.ts';
import {
  type DeliveryRecord,
  deliveryRecord,
  selectDelivery,
  selectReplay,
} from '../../webhooks/management/delivery-queries.ts';
import { checkReadable, selectWebhook, type WebhookRecord } from '../../webhooks/management/queries.ts';
import type { DeliveryResponse, Replay } from '../../webhooks/management/schema.ts';
import { serializeDelivery as serialize } from '../../webhooks/management/serialize.ts';
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

export { keySetOf } from '../../webhooks/delivery/signed-request.ts';

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

/** The webhooks of payments are in the same table. */
const ofRecords = { op: 'eq', column: 'interface', value: 'records' };

export function listWebhooks(context: Context, query: ListQuery): Promise<ListResult<WebhookRecord>> {
  return readList(context, webhookList, query, [ofRecords]);
}

/** A delivery. Throws `not_found`, and `insufficient_scope` if the actor may not read the data that was sent. */
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
  // The webhook may have subscribed to other events when this delivery was sent.
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

/** A page of deliveries. Throws `not_found`, and `insufficient_scope` if the actor may not read the data that was sent. */
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
  // The webhook may have subscribed to other events when these deliveries were sent.
  requireReadable(
    actor,
    result.records.map((delivery) => delivery.event_type),
  );
  return result;
}

/** The progress of a replay. Throws `not_found`. */
export async function getReplay(
  { read, tenantId }: Context,
  webhookId: string,
  replayId: string,
): Promise<Replay> {
  const rows = await withDomainErrors(read((sql) => selectReplay(sql, tenantId, webhookId, replayId)));
  return oneRow(rows).record;
}

/**
 * The payload is shown as sent, in the names of the webhook's variant, whichever variant the request uses. External ids are shown only
 * to the webhook's own client.
 */
export const serializeDelivery = (delivery: DeliveryRecord, callerId: string | null): DeliveryResponse =>
  serialize(
    { ...delivery, client_id: delivery.client_id === callerId ? callerId : null },
    eventPayload,
    utcTime,
  );
