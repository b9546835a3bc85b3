// Request and response schemas of payments webhooks.
import { z } from 'zod';
import {
  commonMembers,
  commonResponse,
  deliveryResponseWith,
  eventsMember,
} from '../../webhooks/management/schema.ts';
import { millisecondTime, objectOf } from '../requests/fields.ts';
import { paymentsEventTypes } from './event-types.ts';

const known = new Map<string, string>(paymentsEventTypes.map((type) => [type, type]));

const events = eventsMember(known);
const orNull = { type: ['array', 'null'] as const };

const members = {
  ...commonMembers,
  events: events
    .nullish()
    .transform((types) => types ?? null)
    .meta(orNull)
    .describe(
      'null, or absent on creation: all events except those of refunds and disputes, which must be named explicitly.',
    ),
};

export const newWebhook = objectOf(members).meta({ id: 'NewWebhook' });

export const webhookChange = objectOf({
  ...z.object(commonMembers).partial().shape,
  events: events.nullable().optional().meta(orNull),
}).meta({ id: 'WebhookChange', description: '`active: true` also resets earlier failures.' });

/** A webhook in a response. */
export const webhookResponse = z
  .object({
    id: z.uuid(),
    url: z.string(),
    events: z
      .array(z.string())
      .nullable()
      .describe('null: all events except those that must be named explicitly.'),
    ...commonResponse(millisecondTime),
  })
  .meta({ id: 'Webhook' });

/** A webhook with its secret, in the response that returns it once. */
export const webhookWithSecret = webhookResponse
  .extend({
    secret: z
      .string()
      .optional()
      .describe(
        'Signs deliveries. Returned only in the first response, not in replays with the same Idempotency-Key.',
      ),
  })
  .meta({ id: 'WebhookWithSecret' });

export const deliveryResponse = deliveryResponseWith(millisecondTime);

export type NewWebhook = z.output<typeof newWebhook>;
export type WebhookChange = z.output<typeof webhookChange>;
export type WebhookResponse = z.output<typeof webhookResponse>;
