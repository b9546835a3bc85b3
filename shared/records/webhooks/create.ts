import { randomUUID } from 'node:crypto';
import type { Context, NamingVariant } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { columnsOf } from '../json-columns.ts';
import { checkUrl, type DestinationRules } from './check-url.ts';
import { insertWebhook, setSecret, type WebhookRecord } from './queries.ts';
import { type NewWebhook, newWebhook } from './schema.ts';

const columns = columnsOf(newWebhook({ eventTypes: {} }), 'secret');

/**
 * Deliveries are in the names of `variant`. Throws `validation` for an address that is not allowed, `conflict` for one
 * that has a webhook with the same events, `unprocessable` where the plan has no room.
 */
export async function createWebhook(
  { write, tenantId }: Context,
  { secret, ...input }: NewWebhook,
  variant: NamingVariant,
  rules: DestinationRules,
): Promise<WebhookRecord> {
  await checkUrl(input.url, rules);
  const id = randomUUID();
  const webhook = { ...input, active: input.active ?? true };
  const [rows] = await withDomainErrors(
    write((sql) => [
      insertWebhook(sql, tenantId, { id, variant }, columns, webhook),
      ...(secret ? [setSecret(sql, id, secret)] : []),
    ]),
  );
  return { ...oneRow(rows).record, ...(secret && { secret }) };
}
