// Writing webhooks; loaded with the first request that needs it, so that a function starts quickly.
import { randomUUID } from 'node:crypto';
import { type Context, clientOf, type NamingVariant } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { generateSecret, generateSigningKey } from '../../webhooks/delivery/signatures.ts';
import { checkUrl, type DestinationRules } from '../../webhooks/management/check-url.ts';
import { insertTest } from '../../webhooks/management/delivery-queries.ts';
import {
  eventFilterColumns,
  eventFiltersOf,
  withWebhookDefaults,
} from '../../webhooks/management/event-filters.ts';
import {
  checkReadable,
  deleteWebhook as deleteRow,
  insertWebhook,
  recordOf,
  setHeaders,
  setSecret,
  setSigningKey,
  setWebhookPaused,
  updateWebhook as updateRow,
  type WebhookRecord,
} from '../../webhooks/management/queries.ts';
import type { TestResponse } from '../../webhooks/management/schema.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { recordsEventFilters } from '../events/event-filters.ts';
import { readableTypes, requireReadable, withReadableEvents } from '../events/event-scopes.ts';
import { GENERATE, type NewWebhook, newWebhook, type WebhookChange, webhookChange } from './schema.ts';

export { replayRequest } from '../../webhooks/management/schema.ts';
export { replayDelivery, startReplay } from './replay.ts';
export { newWebhook, webhookChange } from './schema.ts';

const newWebhookColumns = [
  ...columnsOf(newWebhook({ eventTypes: {} }), 'secret', 'headers'),
  ...eventFilterColumns,
];

/**
 * Deliveries are in the names of `variant`. Throws `validation` for an address that is not allowed, `conflict` for one
 * that has a webhook with the same events, `unprocessable` where the plan has no room,
 * `insufficient_scope` for events whose data the actor may not read.
 */
export async function createWebhook(
  { write, tenantId, actor }: Context,
  { secret: asked, headers, ...input }: NewWebhook,
  variant: NamingVariant,
  rules: DestinationRules,
): Promise<WebhookRecord> {
  requireReadable(actor, input.events);
  await checkUrl(input.url, rules);
  const clientId = clientOf(actor);
  const secret = asked === GENERATE ? generateSecret() : asked;
  const id = randomUUID();
  const key = generateSigningKey();
  const by = { id, variant, clientId, publicKey: key.publicKey };
  const webhook = withWebhookDefaults(input, recordsEventFilters);
  const written = await withDomainErrors(
    write((sql) => ({
      webhook: insertWebhook(sql, tenantId, by, newWebhookColumns, webhook),
      key: setSigningKey(sql, id, key),
      secret: secret ? setSecret(sql, id, secret) : [],
      withHeaders: setHeaders(sql, tenantId, id, headers),
    })),
  );
  return { ...recordOf(written), ...(secret && { secret }) };
}

const webhookChangeColumns = [
  ...columnsOf(webhookChange({ eventTypes: {} }), 'secret', 'headers'),
  ...eventFilterColumns,
];

/** What decides where events go and whether: a change of it needs what subscribing to the webhook's events needs. */
const ofDeliveries = [
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
 * Changes what is given; a secret replaces the one before at once, and is shown when it was made here. Throws `not_found`, `validation`, `conflict`,
 * `unprocessable`, and `insufficient_scope` where more than its description is changed and the actor may not read the data of the events that it
 * has, or is to have: those that it has may wait for a retry.
 */
export async function updateWebhook(
  { read, write, tenantId, actor }: Context,
  webhookId: string,
  input: WebhookChange,
  rules: DestinationRules,
): Promise<WebhookRecord> {
  const { secret: asked, headers, ...given } = input;
  const change = { ...given, ...eventFiltersOf(given, recordsEventFilters) };
  const readable = readableTypes(actor);
  requireReadable(actor, change.events ?? []);
  if (change.url !== undefined) {
    // Names are resolved for those alone who may change it.
    const checked = read((sql) => checkReadable(sql, tenantId, webhookId, readable));
    await withDomainErrors(withReadableEvents(actor, checked));
    await checkUrl(change.url, rules);
  }
  const made = asked === GENERATE ? generateSecret() : undefined;
  const secret = made ?? asked;
  const guarded = ofDeliveries.some((member) => input[member] !== undefined);
  const by = { clientId: clientOf(actor), readable: guarded ? readable : null };
  const updated = write((sql) => ({
    webhook: updateRow(sql, tenantId, webhookId, webhookChangeColumns, change, by),
    secret: secret === undefined ? [] : setSecret(sql, webhookId, secret),
    withHeaders: setHeaders(sql, tenantId, webhookId, headers),
  }));
  const written = await withDomainErrors(withReadableEvents(actor, updated));
  return { ...recordOf(written), ...(made !== undefined && { secret: made }) };
}

/**
 * Has deliveries to a webhook wait, those of events that happen meanwhile included, or has sent what waited. Throws `not_found`, `conflict` where
 * it is deactivated, `insufficient_scope` where the actor may not read the data of its events.
 */
export async function setPaused(
  { write, actor }: Context,
  webhookId: string,
  paused: boolean,
): Promise<WebhookRecord> {
  const held = write((sql) => setWebhookPaused(sql, webhookId, paused, readableTypes(actor)));
  const rows = await withDomainErrors(withReadableEvents(actor, held));
  return oneRow(rows).record;
}

/** Sends the event `webhook.test` to this webhook alone. Throws `not_found`, `conflict` when it is not active. */
export async function testWebhook({ write }: Context, webhookId: string): Promise<TestResponse> {
  const rows = await withDomainErrors(write((sql) => insertTest(sql, webhookId)));
  return oneRow(rows).record;
}

/** Removes it with its log. Throws `not_found`, and `insufficient_scope` where the actor may not read the data of its events. */
export async function deleteWebhook({ write, tenantId, actor }: Context, webhookId: string): Promise<void> {
  const deleted = write((sql) => ({
    readable: checkReadable(sql, tenantId, webhookId, readableTypes(actor)),
    deleted: deleteRow(sql, tenantId, webhookId),
  }));
  await withDomainErrors(withReadableEvents(actor, deleted));
}
