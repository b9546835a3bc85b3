import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { holdWebhook, type WebhookRecord } from '../../webhooks/management/queries.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { readableTypes, withReadableEvents } from './event-scopes.ts';

/**
 * Has deliveries to a webhook wait, those of events that happen meanwhile included, or has sent what waited. Throws `not_found`, `conflict` where
 * it is deactivated, `insufficient_scope` where the actor may not read the data of its events.
 */
export async function setPaused(
  { write, actor }: Context,
  webhookId: string,
  paused: boolean,
): Promise<WebhookRecord> {
  const held = write((sql) => holdWebhook(sql, webhookId, paused, readableTypes(actor)));
  const rows = await withDomainErrors(withReadableEvents(actor, held));
  return oneRow(rows).record;
}
