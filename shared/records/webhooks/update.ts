import { type Context, clientOf } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { generateSecret } from '../../webhooks/signatures.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { columnsOf } from '../json-columns.ts';
import { checkUrl, type DestinationRules } from './check-url.ts';
import { readableTypes, withReadableEvents } from './event-scopes.ts';
import { setSecret, updateWebhook as updateRow, type WebhookRecord } from './queries.ts';
import { GENERATE, type WebhookChange, webhookChange } from './schema.ts';

const columns = columnsOf(webhookChange({ eventTypes: {} }), 'secret');

/**
 * Changes what is given; a secret replaces the one before at once, and is shown when it was made here. Throws `not_found`, `validation`, `conflict`,
 * `unprocessable`, and `insufficient_scope` when it has events sent whose data the actor may not read: by other events,
 * another address, or by activating it.
 */
export async function updateWebhook(
  { write, tenantId, actor }: Context,
  webhookId: string,
  { secret: asked, ...change }: WebhookChange,
  rules: DestinationRules,
): Promise<WebhookRecord> {
  if (change.url !== undefined) await checkUrl(change.url, rules);
  const made = asked === GENERATE ? generateSecret() : undefined;
  const secret = made ?? asked;
  const by = { clientId: clientOf(actor), readable: readableTypes(actor) };
  const written = write((sql) => [
    updateRow(sql, tenantId, webhookId, columns, change, by),
    ...(secret === undefined ? [] : [setSecret(sql, webhookId, secret)]),
  ]);
  const [rows] = await withDomainErrors(withReadableEvents(actor, written));
  return { ...oneRow(rows).record, ...(made !== undefined && { secret: made }) };
}
