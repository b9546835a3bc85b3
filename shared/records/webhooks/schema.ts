// What bodies about webhooks hold, and what answers do.
import { z } from 'zod';
import { text } from '../../platform/validation.ts';
import { id, nullableText, time } from '../fields.ts';
import { type EventNaming, knownEvents } from './event-types.ts';
import { deliveryStatuses, webhookStatuses } from './states.ts';

const MAX_URL_LENGTH = 2048;
/** More than there are types. */
const MAX_EVENTS = 100;
/** In place of a secret: one is to be made. */
export const GENERATE = 'generate';

function members(naming: EventNaming) {
  const known = knownEvents(naming);
  return {
    url: text({ maxLength: MAX_URL_LENGTH, filled: true }).describe('HTTPS, without credentials.'),
    events: z
      .array(z.string({ error: 'must be an array of event types' }), {
        error: (issue) => (issue.input === undefined ? 'is required' : 'must be an array of event types'),
      })
      .min(1, { error: 'must name at least one event type' })
      .max(MAX_EVENTS, { error: `must have at most ${MAX_EVENTS} items` })
      .transform((names, ctx) => {
        const unknown = names.filter((name) => !known.has(name));
        if (unknown.length > 0) {
          const message = `must be among ${[...known.keys()].join(', ')}`;
          ctx.addIssue({ code: 'custom', message });
          return z.NEVER;
        }
        return [...new Set(names.map((name) => known.get(name) ?? name))];
      })
      .meta({
        type: 'array',
        items: { type: 'string', enum: [...known.keys()] },
        minItems: 1,
        maxItems: MAX_EVENTS,
      }),
    secret: text({ maxLength: 255 })
      .nullable()
      .optional()
      .transform((value) => (value === '' ? null : value))
      .describe(
        'Signs deliveries. `generate` has one made: `whsec_` and 24 random bytes in base64, as the libraries of Standard Webhooks take it. ' +
          'Shown in the answer that it was set by, and never again. Without one, which is what null and leaving it out mean, deliveries are ' +
          'unsigned: whoever knows the address can send the receiver anything, and it cannot tell.',
      ),
    description: text({ maxLength: 255 }).nullable().optional(),
    active: z.boolean({ error: 'must be true or false' }).optional().describe('true when absent.'),
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
    description: nullableText,
    active: z.boolean(),
    status: z
      .enum(webhookStatuses)
      .describe(
        '`paused`: what happens is kept for it, for 30 days, until it is resumed. `suspended`: it fails, and one delivery is tried after a while; when it arrives, the others follow. `deactivated`: `active` is false, and what happens is not kept.',
      ),
    created_at: time,
    updated_at: time,
    secret: z
      .string()
      .optional()
      .describe('In the answer to the creation, and to a change that had one made; nowhere else.'),
  })
  .meta({ id: 'Webhook' });

/** A delivery in an answer. */
export const deliveryResponse = z
  .object({
    id: z.string(),
    event_id: z.string(),
    event_type: z.string(),
    payload: z.record(z.string(), z.unknown()),
    response_status: z.int().nullable(),
    response_time_ms: z.int().nullable(),
    status: z.enum(deliveryStatuses),
    success: z.boolean(),
    error: nullableText.describe('Why it is not delivered; null when it is, and before the first attempt.'),
    response_excerpt: nullableText.describe('The first KiB of the last answer; null without one.'),
    attempts: z
      .array(
        z.object({
          at: time,
          status: z.int().nullable().describe('HTTP status; null when there was no answer.'),
          error: nullableText,
          duration_ms: z.int(),
        }),
      )
      .describe('The last 20, in their order.'),
    retry_count: z.int(),
    created_at: time,
    next_attempt_at: time.nullable(),
  })
  .meta({ id: 'Delivery' });

export const testResponse = z.object({ event_id: z.string(), delivery_id: z.string() });
export const replayResponse = z.object({ delivery_id: z.string() });

export type NewWebhook = z.output<ReturnType<typeof newWebhook>>;
export type WebhookChange = z.output<ReturnType<typeof webhookChange>>;
export type WebhookResponse = z.output<typeof webhookResponse>;
export type DeliveryResponse = z.output<typeof deliveryResponse>;
export type TestResponse = z.output<typeof testResponse>;
export type ReplayResponse = z.output<typeof replayResponse>;
