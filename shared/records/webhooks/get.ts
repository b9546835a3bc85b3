import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { selectWebhook, type WebhookRecord } from '../../webhooks/management/queries.ts';
import { withDomainErrors } from '../domain-errors.ts';

/** Throws `not_found`. */
export async function getWebhook({ read, tenantId }: Context, webhookId: string): Promise<WebhookRecord> {
  const rows = await withDomainErrors(read((sql) => selectWebhook(sql, tenantId, webhookId)));
  return oneRow(rows).record;
}
