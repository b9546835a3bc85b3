// The delivery log of a webhook.
import type { Context } from '../../platform/context.ts';
import { word } from '../../platform/lists/filters.ts';
import { type DeliveryRecord, deliveryRecord } from '../../webhooks/management/delivery-queries.ts';
import { checkReadable } from '../../webhooks/management/queries.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { createdFilters, type List, type ListQuery, type ListResult, readList } from '../list.ts';
import { readableTypes, requireReadable, withReadableEvents } from './event-scopes.ts';

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
