// An entry of the delivery log as answers show it.
import type { DeliveryRecord } from '../../webhooks/management/queries.ts';
import type { DeliveryResponse } from '../../webhooks/management/schema.ts';
import { serializeDelivery as serialize } from '../../webhooks/management/serialize-delivery.ts';
import { utcTime } from '../utc-time.ts';
import { eventPayload } from './event-payload.ts';

/** Its payload is in the names of the webhook's variant, whichever asks. */
export const serializeDelivery = (delivery: DeliveryRecord): DeliveryResponse =>
  serialize(delivery, eventPayload, utcTime);
