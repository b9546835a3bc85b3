// Writes webhooks of payments. Each POST runs once per Idempotency-Key. No provider is called; the only external requests are DNS lookups.
import { randomUUID } from 'node:crypto';
import { type Context, clientOf } from '../../platform/access/context.ts';
import { oneRow, type Sql, type Statement, type Work } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/sql.ts';
import { generateSecret, generateSigningKey } from '../../webhooks/delivery/signed-request.ts';
import { checkUrl, type DestinationRules } from '../../webhooks/management/check-url.ts';
import { insertReplay, insertTest, startDeliveryReplay } from '../../webhooks/management/delivery-queries.ts';
import {
  eventFilterColumns,
  eventFiltersOf,
  withWebhookDefaults,
} from '../../webhooks/management/event-filters.ts';
import {
  deleteWebhook as deleteRow,
  insertWebhook,
  rotateSecret,
  selectWebhook,
  setWebhookPaused,
  updateWebhook as updateRow,
  type WebhookRecord,
} from '../../webhooks/management/queries.ts';
import type { ReplayRequest } from '../../webhooks/management/schema.ts';
import { withWebhookErrors } from '../../webhooks/management/webhook-errors.ts';
import type { Attempt, Completed } from '../idempotency/with-idempotency-key.ts';
import { paymentsEventFilters } from './event-filters.ts';
import { type NewWebhook, newWebhook, type WebhookChange, webhookChange } from './schema.ts';

export { parseOrThrow } from '../requests/fields.ts';
export { newWebhook, webhookChange } from './schema.ts';

const newWebhookColumns = [...columnsOf(newWebhook, 'headers'), ...eventFilterColumns];

const snapshotOf = <R>(sql: Sql, statement: Statement<{ record: R }>): Statement<{ snapshot: R }> =>
  sql`select made.record as snapshot from (${statement}) as made`;

const currentWebhook = (sql: Sql, tenantId: string, id: string): Statement<{ snapshot: WebhookRecord }> =>
  snapshotOf(sql, selectWebhook(sql, tenantId, id));

/** The attempt of a request that calls no provider. The admin API has its own, whose requests need no key of payments. */
export type LocalAttempt = Pick<Attempt, 'complete'> & { begin(work: () => []): Promise<unknown> };

/** Runs an operation of one transaction. */
async function inOneStep(
  attempt: LocalAttempt,
  effect: (sql: Sql) => Work,
  success: Parameters<Attempt['complete']>[1],
): Promise<Completed> {
  await attempt.begin(() => []);
  return await withWebhookErrors(attempt.complete(effect, success));
}

/** Creates a webhook after checking its URL. The response contains the secret once. */
export async function createWebhook(
  { tenantId, actor }: Context,
  attempt: LocalAttempt,
  { headers, ...input }: NewWebhook,
  rules: DestinationRules,
): Promise<Completed> {
  const [id, secret] = [randomUUID(), generateSecret()];
  const webhook = withWebhookDefaults(input, paymentsEventFilters);
  const own = { id, variant: null, clientId: clientOf(actor), key: generateSigningKey(), secret, headers };
  await attempt.begin(() => []);
  await checkUrl(input.url, rules);
  return await withWebhookErrors(
    attempt.complete((sql) => insertWebhook(sql, tenantId, own, newWebhookColumns, webhook), {
      kind: 'webhook',
      snapshot: (sql) => currentWebhook(sql, tenantId, id),
      once: { secret },
    }),
  );
}

/** Pauses or resumes a webhook. */
export const setPaused = async (attempt: LocalAttempt, id: string, paused: boolean): Promise<Completed> =>
  await inOneStep(attempt, () => [], {
    kind: 'webhook',
    snapshot: (sql) => snapshotOf(sql, setWebhookPaused(sql, id, paused, null)),
  });

/** Generates a new secret and returns it once. For 24 hours, deliveries are also signed with the old secret. */
export async function rotateWebhookSecret(
  { tenantId }: Context,
  attempt: LocalAttempt,
  id: string,
): Promise<Completed> {
  const secret = generateSecret();
  return await inOneStep(attempt, (sql) => rotateSecret(sql, id, secret), {
    kind: 'webhook',
    snapshot: (sql) => currentWebhook(sql, tenantId, id),
    once: { secret },
  });
}

/** Sends `webhook.test` to this webhook only. */
export const testWebhook = async (attempt: LocalAttempt, id: string): Promise<Completed> =>
  await inOneStep(attempt, () => [], {
    kind: 'webhook_test',
    snapshot: (sql) => snapshotOf(sql, insertTest(sql, id)),
  });

/** Sends deliveries again: those of all events since a time, or those that failed. */
export const startReplay = async (
  attempt: LocalAttempt,
  id: string,
  request: ReplayRequest,
): Promise<Completed> =>
  await inOneStep(attempt, () => [], {
    kind: 'replay',
    snapshot: (sql) => snapshotOf(sql, insertReplay(sql, id, request, null)),
  });

/** Sends a delivery again. */
export const replayDelivery = async (
  attempt: LocalAttempt,
  id: string,
  deliveryId: string,
): Promise<Completed> =>
  await inOneStep(attempt, () => [], {
    kind: 'webhook_replay',
    snapshot: (sql) => snapshotOf(sql, startDeliveryReplay(sql, id, deliveryId, null)),
  });

const webhookChangeColumns = [...columnsOf(webhookChange, 'headers'), ...eventFilterColumns];

/** Updates the members in the request. Throws `not_found`, `validation`, `conflict`, `unprocessable`. */
export async function updateWebhook(
  { read, write, tenantId, actor }: Context,
  id: string,
  { headers, ...members }: WebhookChange,
  rules: DestinationRules,
): Promise<WebhookRecord> {
  const change = { ...members, ...eventFiltersOf(members, paymentsEventFilters) };
  if (change.url !== undefined) {
    // Send DNS queries only if the webhook exists.
    await withWebhookErrors(read((sql) => selectWebhook(sql, tenantId, id)));
    await checkUrl(change.url, rules);
  }
  const by = { clientId: clientOf(actor), readable: null };
  const written = await withWebhookErrors(
    write((sql) => updateRow(sql, tenantId, id, webhookChangeColumns, { ...change, headers }, by)),
  );
  return oneRow(written).record;
}

/** Deletes the webhook and its log. Throws `not_found`. */
export async function deleteWebhook({ write, tenantId }: Context, id: string): Promise<void> {
  await withWebhookErrors(write((sql) => deleteRow(sql, tenantId, id)));
}
