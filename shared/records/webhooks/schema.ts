// What bodies about webhooks of records hold, and what answers do.
import { z } from 'zod';
import { text } from '../../platform/validation.ts';
import {
  commonMembers,
  commonResponse,
  deliveryResponseWith,
  eventsMember,
} from '../../webhooks/management/schema.ts';
import { type EventNaming, knownEvents } from '../events/event-types.ts';
import { id, time } from '../fields.ts';

/** In place of a secret: one is to be made. */
export const GENERATE = 'generate';

function members(naming: EventNaming) {
  const { url, ...others } = commonMembers;
  return {
    url,
    events: eventsMember(knownEvents(naming)),
    secret: text({ maxLength: 255 })
      .nullable()
      .optional()
      .transform((value) => (value === '' ? null : value))
      .describe(
        'Signs deliveries. `generate` has one made: `whsec_` and 24 random bytes in base64, as the libraries of Standard Webhooks take it. ' +
          'Shown in the answer that it was set by, and never again. Without one, which is what null and leaving it out mean, deliveries are ' +
          'unsigned: whoever knows the address can send the receiver anything, and it cannot tell.',
      ),
    ...others,
  };
}

export const newWebhook = (naming: EventNaming) =>
  z.object(members(naming)).meta({
    id: 'NewWebhook',
    description:
      'Without `secret` deliveries are unsigned; `"secret": "generate"` has one made and shows it once.',
  });

export const webhookChange = (naming: EventNaming) =>
  z.object(z.object(members(naming)).partial().shape).meta({
    id: 'WebhookChange',
    description:
      '`active: true` also forgets earlier failures. All but `description` needs the read scopes of the events that the webhook has and is to have.',
  });

/** A webhook in an answer. */
export const webhookResponse = z
  .object({
    id,
    url: z.string(),
    events: z.array(z.string()),
    ...commonResponse(time),
    secret: z
      .string()
      .optional()
      .describe('In the answer to the creation, and to a change that had one made; nowhere else.'),
  })
  .meta({ id: 'Webhook' });

/** A delivery in an answer. */
export const deliveryResponse = deliveryResponseWith(time);

export type NewWebhook = z.output<ReturnType<typeof newWebhook>>;
export type WebhookChange = z.output<ReturnType<typeof webhookChange>>;
export type WebhookResponse = z.output<typeof webhookResponse>;
