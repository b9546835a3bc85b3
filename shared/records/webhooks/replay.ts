// Replays deliveries of a webhook.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { insertReplay, renewDelivery, selectReplay } from '../../webhooks/management/delivery-queries.ts';
import type { Replay, ReplayRequest, ReplayResponse } from '../../webhooks/management/schema.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { readableTypes, withReadableEvents } from '../events/event-scopes.ts';

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
 * Sends a delivery again. Throws `not_found`, `insufficient_scope` if the actor may not read the data of its event, and `conflict` if
 * the webhook is not active or does not subscribe to the event.
 */
export async function replayDelivery(
  { write, actor }: Context,
  webhookId: string,
  deliveryId: string,
): Promise<ReplayResponse> {
  const renewed = write((sql) => renewDelivery(sql, webhookId, deliveryId, readableTypes(actor)));
  const rows = await withDomainErrors(withReadableEvents(actor, renewed));
  return oneRow(rows).record;
}
