import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { renewDelivery } from './queries.ts';
import type { ReplayResponse } from './schema.ts';

/** Sends a delivery again. Throws `not_found`, `conflict` when the webhook is not active. */
export async function replayDelivery(
  { write }: Context,
  webhookId: string,
  deliveryId: string,
): Promise<ReplayResponse> {
  const [rows] = await withDomainErrors(write((sql) => [renewDelivery(sql, webhookId, deliveryId)]));
  return oneRow(rows).record;
}
