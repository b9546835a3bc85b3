// The list of webhooks.
import type { Context } from '../../platform/context.ts';
import type { WebhookRecord } from '../../webhooks/management/queries.ts';
import { type List, type ListQuery, type ListResult, readList, updatedFilters } from '../list.ts';

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
