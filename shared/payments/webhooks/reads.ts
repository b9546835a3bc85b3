// Reads webhooks of payments, their deliveries and replays.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { type Filters, oneOf } from '../../platform/lists/filters.ts';
import {
  type IdForm,
  type KeysetPage,
  type KeysetQuery,
  keysetClauses,
  toKeysetPage,
} from '../../platform/lists/keyset-list.ts';
import { isUuid } from '../../platform/uuid.ts';
import {
  type DeliveryRecord,
  deliveryRecord,
  selectDelivery,
  selectReplay,
} from '../../webhooks/management/delivery-queries.ts';
import {
  checkReadable,
  selectWebhook,
  selectWebhookPage,
  type WebhookRecord,
} from '../../webhooks/management/queries.ts';
import type { Replay } from '../../webhooks/management/schema.ts';
import { deliveryStatuses } from '../../webhooks/management/states.ts';
import { webhookError, withWebhookErrors } from '../../webhooks/management/webhook-errors.ts';

export { serializeDelivery, serializeWebhook } from './serialize.ts';

/** Webhook ids are UUIDs without a prefix. */
export const webhookIds: IdForm = { is: isUuid, rule: 'must be a webhook id' };
export const deliveryFilters: Filters = { status: oneOf('status', deliveryStatuses) };

/** Throws `not_found`. */
export async function getWebhook({ read, tenantId }: Context, id: string): Promise<WebhookRecord> {
  const rows = await withWebhookErrors(read((sql) => selectWebhook(sql, tenantId, id)));
  return oneRow(rows).record;
}

/** Newest first. */
export async function listWebhooks(
  { read, tenantId }: Context,
  query: KeysetQuery,
): Promise<KeysetPage<WebhookRecord>> {
  const rows = await read((sql) => selectWebhookPage(sql, tenantId, query));
  const records = rows.map(({ record }) => record);
  return toKeysetPage(records, query);
}

/** A webhook's deliveries, newest first. Throws `not_found`. */
export async function listDeliveries(
  { read, tenantId }: Context,
  id: string,
  query: KeysetQuery,
): Promise<KeysetPage<DeliveryRecord>> {
  const ofWebhook = { op: 'eq', column: 'endpoint_id', value: id };
  const all = { ...query, conditions: [ofWebhook, ...query.conditions] };
  const { deliveries } = await withWebhookErrors(
    read((sql) => ({
      readable: checkReadable(sql, tenantId, id, null),
      deliveries: sql<{ record: DeliveryRecord }>`
        select ${deliveryRecord(sql)} as record from public.webhook_deliveries r ${keysetClauses(sql, tenantId, all)}`,
    })),
  );
  const records = deliveries.map(({ record }) => record);
  return toKeysetPage(records, query);
}

/** A delivery. Throws `not_found`. */
export async function getDelivery(
  { read, tenantId }: Context,
  id: string,
  deliveryId: string,
): Promise<DeliveryRecord> {
  const rows = await withWebhookErrors(read((sql) => selectDelivery(sql, tenantId, id, deliveryId)));
  return oneRow(rows).record;
}

/** The progress of a replay. Throws `not_found`. */
export async function getReplay({ read, tenantId }: Context, id: string, replayId: string): Promise<Replay> {
  if (!isUuid(replayId)) throw webhookError('replay_missing');
  const rows = await withWebhookErrors(read((sql) => selectReplay(sql, tenantId, id, replayId)));
  return oneRow(rows).record;
}
