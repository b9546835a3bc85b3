// Writes webhooks.
import { randomUUID } from 'node:crypto';
import { type Context, clientOf, type NamingVariant } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
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
  checkReadable,
  deleteWebhook as deleteRow,
  insertWebhook,
  setSecret,
  setWebhookPaused,
  updateWebhook as updateRow,
  type WebhookRecord,
} from '../../webhooks/management/queries.ts';
import type {
  Replay,
  ReplayRequest,
  ReplayResponse,
  TestResponse,
} from '../../webhooks/management/schema.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { recordsEventFilters } from '../events/event-filters.ts';
import { readableTypes, requireReadable, withReadableEvents } from '../events/event-scopes.ts';
import { GENERATE, type NewWebhook, newWebhook, type WebhookChange, webhookChange } from './schema.ts';

export { replayRequest } from '../../webhooks/management/schema.ts';
export { newWebhook, webhookChange } from './schema.ts';

const newWebhookColumns = [
  ...columnsOf(newWebhook({ eventTypes: {} }), 'secret', 'headers'),
  ...eventFilterColumns,
];

/**
 * Creates a webhook whose deliveries use the names of `variant`. Throws `validation` if the URL is not allowed, `conflict` if another
 * webhook has the same URL and events, `unprocessable` if a plan limit is reached, and `insufficient_scope` for events whose data the
 * actor may not read.
 */
export async function createWebhook(
  { write, tenantId, actor }: Context,
  { secret: requestedSecret, headers, ...input }: NewWebhook,
  variant: NamingVariant,
  rules: DestinationRules,
): Promise<WebhookRecord> {
  requireReadable(actor, input.events);
  await checkUrl(input.url, rules);
  const secret = requestedSecret === GENERATE ? generateSecret() : requestedSecret;
  const own = {
    id: randomUUID(),
    variant,
    clientId: clientOf(actor),
    key: generateSigningKey(),
    secret,
    headers,
  };
  const webhook = withWebhookDefaults(input, recordsEventFilters);
  const written = await withDomainErrors(
    write((sql) => insertWebhook(sql, tenantId, own, newWebhookColumns, webhook)),
  );
  return { ...oneRow(written.webhook).record, ...(secret && { secret }) };
}

const webhookChangeColumns = [
  ...columnsOf(webhookChange({ eventTypes: {} }), 'secret', 'headers'),
  ...eventFilterColumns,
];

/** Members that affect where and whether events are sent. Changing them requires the same scopes as subscribing to the events. */
const deliveryMembers = [
  'url',
  'events',
  'filters',
  'changed',
  'headers',
  'ordered',
  'fold_seconds',
  'secret',
  'active',
] as const;

/**
 * Updates the members in the request. A secret replaces the previous one immediately and is returned if it was generated. Throws
 * `not_found`, `validation`, `conflict`, `unprocessable`, and `insufficient_scope` if more than the description changes and the actor
 * may not read the data of the current or the new events. Current events count because their deliveries may be waiting for a retry.
 */
export async function updateWebhook(
  { read, write, tenantId, actor }: Context,
  webhookId: string,
  input: WebhookChange,
  rules: DestinationRules,
): Promise<WebhookRecord> {
  const { secret: requestedSecret, headers, ...members } = input;
  const change = { ...members, ...eventFiltersOf(members, recordsEventFilters) };
  const readable = readableTypes(actor);
  requireReadable(actor, change.events ?? []);
  if (change.url !== undefined) {
    // Resolve names only for callers who may change the webhook.
    const checked = read((sql) => checkReadable(sql, tenantId, webhookId, readable));
    await withDomainErrors(withReadableEvents(actor, checked));
    await checkUrl(change.url, rules);
  }
  const generated = requestedSecret === GENERATE ? generateSecret() : undefined;
  const secret = generated ?? requestedSecret;
  const guarded = deliveryMembers.some((member) => input[member] !== undefined);
  const by = { clientId: clientOf(actor), readable: guarded ? readable : null };
  const updated = write((sql) => ({
    webhook: updateRow(sql, tenantId, webhookId, webhookChangeColumns, { ...change, headers }, by),
    secret: secret === undefined ? [] : setSecret(sql, webhookId, secret),
  }));
  const written = await withDomainErrors(withReadableEvents(actor, updated));
  return { ...oneRow(written.webhook).record, ...(generated !== undefined && { secret: generated }) };
}

/**
 * Pauses or resumes a webhook. While it is paused, deliveries of new events wait as well. Throws `not_found`, `conflict` if it is
 * deactivated, and `insufficient_scope` if the actor may not read the data of its events.
 */
export async function setPaused(
  { write, actor }: Context,
  webhookId: string,
  paused: boolean,
): Promise<WebhookRecord> {
  const updated = write((sql) => setWebhookPaused(sql, webhookId, paused, readableTypes(actor)));
  const rows = await withDomainErrors(withReadableEvents(actor, updated));
  return oneRow(rows).record;
}

/** Sends the event `webhook.test` to this webhook only. Throws `not_found`, and `conflict` if it is not active. */
export async function testWebhook({ write }: Context, webhookId: string): Promise<TestResponse> {
  const rows = await withDomainErrors(write((sql) => insertTest(sql, webhookId)));
  return oneRow(rows).record;
}

/**
 * Sends deliveries of a webhook again: those of all events since a time, or those that failed. Throws `not_found`, `conflict` if the
 * webhook is deactivated, and `insufficient_scope` if the actor may not read the data of its events.
 */
export async function startReplay(
  { write, actor }: Context,
  webhookId: string,
  request: ReplayRequest,
): Promise<Replay> {
  const started = write((sql) => insertReplay(sql, webhookId, request, readableTypes(actor)));
  const rows = await withDomainErrors(withReadableEvents(actor, started));
  return oneRow(rows).record;
}

/**
 * Sends a delivery again. Throws `not_found`, `insufficient_scope` if the actor may not read the data of its event, and `conflict` if
 * the webhook is not active or does not subscribe to the event.
 */
export async function replayDelivery(
  { write, actor }: Context,
  webhookId: string,
  deliveryId: string,
): Promise<ReplayResponse> {
  const renewed = write((sql) => startDeliveryReplay(sql, webhookId, deliveryId, readableTypes(actor)));
  const rows = await withDomainErrors(withReadableEvents(actor, renewed));
  return oneRow(rows).record;
}

/** Deletes the webhook and its log. Throws `not_found`, and `insufficient_scope` if the actor may not read the data of its events. */
export async function deleteWebhook({ write, tenantId, actor }: Context, webhookId: string): Promise<void> {
  const deleted = write((sql) => ({
    readable: checkReadable(sql, tenantId, webhookId, readableTypes(actor)),
    deleted: deleteRow(sql, tenantId, webhookId),
  }));
  await withDomainErrors(withReadableEvents(actor, deleted));
}
