import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { renewDelivery } from '../../webhooks/management/delivery-queries.ts';
import type { ReplayResponse } from '../../webhooks/management/schema.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { readableTypes, withReadableEvents } from './event-scopes.ts';

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
