// Request and response schemas of records webhooks.
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

/** The value of `secret` that requests a generated one. */
export const GENERATE = 'generate';

function members(naming: EventNaming) {
  const { url, ...others } = commonMembers;
  return {
    url,
    events: eventsMember(knownEvents(naming)),
    secret: text({ maxLength: 255, opaque: true })
      .nullable()
      .optional()
      .transform((value) => (value === '' ? null : value))
      .describe(
        'Signs deliveries. `generate` creates one: `whsec_` and 24 random bytes in base64, the format of Standard Webhooks libraries. ' +
          'Only the response to this request contains it. If null, or absent on creation, deliveries carry only the ' +
          'signature `v1a`; a receiver that does not verify it cannot detect forged deliveries.',
      ),
    ...others,
  };
}

export const newWebhook = (naming: EventNaming) =>
  z.object(members(naming)).meta({
    id: 'NewWebhook',
    description:
      'Without `secret`, deliveries have no secret-based signature. `"secret": "generate"` creates a secret and returns it once.',
  });

export const webhookChange = (naming: EventNaming) =>
  z.object(z.object(members(naming)).partial().shape).meta({
    id: 'WebhookChange',
    description:
      '`active: true` also resets earlier failures. Changing anything except `description` requires the read scopes of the current and ' +
      'the new events.',
  });

/** A webhook in a response. */
export const webhookResponse = z
  .object({
    id,
    url: z.string(),
    events: z.array(z.string()),
    ...commonResponse(time),
    secret: z
      .string()
      .optional()
      .describe(
        'Only in the response to the creation of the webhook, and in the response to a change that generated a secret.',
      ),
  })
  .meta({ id: 'Webhook' });

/** A delivery in a response. */
export const deliveryResponse = deliveryResponseWith(time);

export type NewWebhook = z.output<ReturnType<typeof newWebhook>>;
export type WebhookChange = z.output<ReturnType<typeof webhookChange>>;
export type WebhookResponse = z.output<typeof webhookResponse>;
