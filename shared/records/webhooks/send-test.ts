import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { insertTest } from '../../webhooks/management/delivery-queries.ts';
import type { TestResponse } from '../../webhooks/management/schema.ts';
import { withDomainErrors } from '../domain-errors.ts';

/** Sends the event `webhook.test` to this webhook alone. Throws `not_found`, `conflict` when it is not active. */
export async function testWebhook({ write }: Context, webhookId: string): Promise<TestResponse> {
  const rows = await withDomainErrors(write((sql) => insertTest(sql, webhookId)));
  return oneRow(rows).record;
}
