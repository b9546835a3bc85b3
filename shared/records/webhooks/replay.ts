// Sending deliveries of a webhook again.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { insertReplay, renewDelivery, selectReplay } from '../../webhooks/management/delivery-queries.ts';
import type { Replay, ReplayRequest, ReplayResponse } from '../../webhooks/management/schema.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { readableTypes, withReadableEvents } from '../events/event-scopes.ts';

/**
 * Sends deliveries of a webhook again: those of all events since a time, or those that failed. Throws `not_found`, `conflict` where it is
 * deactivated, `insufficient_scope` where the actor may not read the data of its events.
 */
export async function startReplay(
  { write, actor }: Context,
  webhookId: string,
  asked: ReplayRequest,
): Promise<Replay> {
  const begun = write((sql) => insertReplay(sql, webhookId, asked, readableTypes(actor)));
  const rows = await withDomainErrors(withReadableEvents(actor, begun));
  return oneRow(rows).record;
}

/** How far a replay is. Throws `not_found`. */
export async function getReplay(
  { read, tenantId }: Context,
  webhookId: string,
  replayId: string,
): Promise<Replay> {
  const rows = await withDomainErrors(read((sql) => selectReplay(sql, tenantId, webhookId, replayId)));
  return oneRow(rows).record;
}

/**
 * Sends a delivery again. Throws `not_found`, `insufficient_scope` where the actor may not read the data of its event, and
 * `conflict` when the webhook is not active, or does not subscribe to the event.
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
