import type { Context } from '../../platform/context.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { deleteWebhook as deleteRow } from './queries.ts';

/** Removes it with its log. Throws `not_found`. */
export async function deleteWebhook({ write, tenantId }: Context, webhookId: string): Promise<void> {
  await withDomainErrors(write((sql) => [deleteRow(sql, tenantId, webhookId)]));
}
