// What is read of webhooks of payments, and what changes and deletes them.
import { type Context, clientOf } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { type Filters, oneOf } from '../../platform/lists/filters.ts';
import {
  type IdForm,
  type KeysetPage,
  type KeysetQuery,
  keysetClauses,
  toKeysetPage,
} from '../../platform/lists/keyset-list.ts';
import { isUuid } from '../../platform/uuid.ts';
import { checkUrl, type DestinationRules } from '../../webhooks/management/check-url.ts';
import {
  type DeliveryRecord,
  deliveryRecord,
  selectDelivery,
  selectReplay,
} from '../../webhooks/management/delivery-queries.ts';
import { narrowingColumns, narrowingOf } from '../../webhooks/management/narrowing.ts';
import {
  checkReadable,
  deleteWebhook as deleteRow,
  recordOf,
  selectWebhook,
  selectWebhookPage,
  setHeaders,
  updateWebhook as updateRow,
  type WebhookRecord,
} from '../../webhooks/management/queries.ts';
import { asWebhookError, webhookError } from '../../webhooks/management/refusals.ts';
import type { Replay } from '../../webhooks/management/schema.ts';
import { deliveryStatuses } from '../../webhooks/management/states.ts';
import { paymentsNarrowing } from './narrowing.ts';
import { type WebhookChange, webhookChange } from './schema.ts';

const columns = [...columnsOf(webhookChange, 'headers'), ...narrowingColumns];

/** Ids of webhooks have no order of their own. */
export const webhookIds: IdForm = { is: isUuid, rule: 'must be the id of a webhook' };
export const deliveryFilters: Filters = { status: oneOf('status', deliveryStatuses) };

async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asWebhookError(error);
  }
}

/** Throws `not_found`. */
export async function getWebhook({ read, tenantId }: Context, id: string): Promise<WebhookRecord> {
  const rows = await refusing(read((sql) => selectWebhook(sql, tenantId, id)));
  return oneRow(rows).record;
}

/** Newest first. */
export async function listWebhooks(
  { read, tenantId }: Context,
  query: KeysetQuery,
): Promise<KeysetPage<WebhookRecord>> {
  const rows = await read((sql) => selectWebhookPage(sql, tenantId, query));
  return toKeysetPage(
    rows.map(({ record }) => record),
    query,
  );
}

/** Changes what is given. Throws `not_found`, `validation`, `conflict`, `unprocessable`. */
export async function updateWebhook(
  { read, write, tenantId, actor }: Context,
  id: string,
  { headers, ...given }: WebhookChange,
  rules: DestinationRules,
): Promise<WebhookRecord> {
  const change = { ...given, ...narrowingOf(given, paymentsNarrowing) };
  if (change.url !== undefined) {
    // Names are resolved for a webhook that is there.
    await refusing(read((sql) => selectWebhook(sql, tenantId, id)));
    await checkUrl(change.url, rules);
  }
  const by = { clientId: clientOf(actor), readable: null };
  const written = await refusing(
    write((sql) => ({
      webhook: updateRow(sql, tenantId, id, columns, change, by),
      withHeaders: setHeaders(sql, tenantId, id, headers),
    })),
  );
  return recordOf(written);
}

/** Removes it with its log. Throws `not_found`. */
export async function deleteWebhook({ write, tenantId }: Context, id: string): Promise<void> {
  await refusing(write((sql) => deleteRow(sql, tenantId, id)));
}

/** The log, newest first. Throws `not_found`. */
export async function listDeliveries(
  { read, tenantId }: Context,
  id: string,
  query: KeysetQuery,
): Promise<KeysetPage<DeliveryRecord>> {
  const ofWebhook = { op: 'eq', column: 'endpoint_id', value: id };
  const all = { ...query, conditions: [ofWebhook, ...query.conditions] };
  const { deliveries } = await refusing(
    read((sql) => ({
      readable: checkReadable(sql, tenantId, id, null),
      deliveries: sql<{ record: DeliveryRecord }>`
        select ${deliveryRecord(sql)} as record from public.webhook_deliveries r ${keysetClauses(sql, tenantId, all)}`,
    })),
  );
  return toKeysetPage(
    deliveries.map(({ record }) => record),
    query,
  );
}

/** An entry of the log. Throws `not_found`. */
export async function getDelivery(
  { read, tenantId }: Context,
  id: string,
  deliveryId: string,
): Promise<DeliveryRecord> {
  const rows = await refusing(read((sql) => selectDelivery(sql, tenantId, id, deliveryId)));
  return oneRow(rows).record;
}

/** How far a replay is. Throws `not_found`. */
export async function getReplay({ read, tenantId }: Context, id: string, replayId: string): Promise<Replay> {
  if (!isUuid(replayId)) throw webhookError('replay_missing');
  const rows = await refusing(read((sql) => selectReplay(sql, tenantId, id, replayId)));
  return oneRow(rows).record;
}
