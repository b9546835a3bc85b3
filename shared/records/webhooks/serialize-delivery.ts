// An entry of the delivery log as answers show it.
import type { DeliveryRecord } from '../../webhooks/management/delivery-queries.ts';
import type { DeliveryResponse } from '../../webhooks/management/schema.ts';
import { serializeDelivery as serialize } from '../../webhooks/management/serialize-delivery.ts';
import { utcTime } from '../utc-time.ts';
import { eventPayload } from './event-payload.ts';

/**
 * Its payload is what was sent: in the names of the webhook's variant, whichever asks; but what the webhook's client calls a
 * record, only that client sees.
 */
export const serializeDelivery = (delivery: DeliveryRecord, askedBy: string | null): DeliveryResponse =>
  serialize(
    { ...delivery, client_id: delivery.client_id === askedBy ? askedBy : null },
    eventPayload,
    utcTime,
  );
