import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { type DeliveryRecord, selectDelivery } from '../../webhooks/management/delivery-queries.ts';
import { checkReadable } from '../../webhooks/management/queries.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { readableTypes, requireReadable, withReadableEvents } from './event-scopes.ts';

/** An entry of the log. Throws `not_found`, `insufficient_scope` where the actor may not read the data that was sent. */
export async function getDelivery(
  { read, tenantId, actor }: Context,
  webhookId: string,
  deliveryId: string,
): Promise<DeliveryRecord> {
  const found = read((sql) => ({
    readable: checkReadable(sql, tenantId, webhookId, readableTypes(actor)),
    delivery: selectDelivery(sql, tenantId, webhookId, deliveryId),
  }));
  const { delivery } = await withDomainErrors(withReadableEvents(actor, found));
  const { record } = oneRow(delivery);
  // It may have subscribed to others when this was sent.
  requireReadable(actor, [record.event_type]);
  return record;
}
