// The delivery log of a webhook.
import type { Context } from '../../platform/context.ts';
import { word } from '../../platform/lists/filters.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { createdFilters, type List, type ListQuery, type ListResult, readList } from '../list.ts';
import { checkWebhookExists, type DeliveryRecord, deliveryRecord } from './queries.ts';

export const deliveryList: List<DeliveryRecord> = {
  table: 'webhook_deliveries',
  idType: 'text',
  filters: { ...createdFilters, status: word },
  sorts: ['created_at'],
  record: deliveryRecord,
};

/** A page of the log. Throws `not_found`. */
export async function listDeliveries(
  context: Context,
  webhookId: string,
  query: ListQuery,
): Promise<ListResult<DeliveryRecord>> {
  const ofWebhook = { op: 'eq', column: 'endpoint_id', value: webhookId };
  return await withDomainErrors(
    readList(context, deliveryList, query, [ofWebhook], (sql) => [
      checkWebhookExists(sql, context.tenantId, webhookId),
    ]),
  );
}
