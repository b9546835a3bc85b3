import type { Context } from '../../platform/context.ts';
import { checkReadable, deleteWebhook as deleteRow } from '../../webhooks/management/queries.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { readableTypes, withReadableEvents } from './event-scopes.ts';

/** Removes it with its log. Throws `not_found`, and `insufficient_scope` where the actor may not read the data of its events. */
export async function deleteWebhook({ write, tenantId, actor }: Context, webhookId: string): Promise<void> {
  const deleted = write((sql) => ({
    readable: checkReadable(sql, tenantId, webhookId, readableTypes(actor)),
    deleted: deleteRow(sql, tenantId, webhookId),
  }));
  await withDomainErrors(withReadableEvents(actor, deleted));
}
