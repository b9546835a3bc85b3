import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { columnsOf } from '../json-columns.ts';
import { checkUrl, type DestinationRules } from './check-url.ts';
import { setSecret, updateWebhook as updateRow, type WebhookRecord } from './queries.ts';
import { type WebhookChange, webhookChange } from './schema.ts';

const columns = columnsOf(webhookChange({ eventTypes: {} }), 'secret');

/** Changes what is given; a secret replaces the one before at once. Throws `not_found`, `validation`. */
export async function updateWebhook(
  { write, tenantId }: Context,
  webhookId: string,
  { secret, ...change }: WebhookChange,
  rules: DestinationRules,
): Promise<WebhookRecord> {
  if (change.url !== undefined) await checkUrl(change.url, rules);
  const [rows] = await withDomainErrors(
    write((sql) => [
      updateRow(sql, tenantId, webhookId, columns, change),
      ...(secret === undefined ? [] : [setSecret(sql, webhookId, secret)]),
    ]),
  );
  return oneRow(rows).record;
}
