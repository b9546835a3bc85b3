// What bodies about webhooks of payments hold, and what answers do.
import { z } from 'zod';
import { issueDetails } from '../../platform/zod-issues.ts';
import {
  commonMembers,
  commonResponse,
  deliveryResponseWith,
  eventsMember,
} from '../../webhooks/management/schema.ts';
import { invalidFields } from '../requests/errors.ts';
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
      'null, or absent in a new one: all but `invoice.refunded` and `invoice.disputed`, which have to be named.',
    ),
};

export const newWebhook = objectOf(members).meta({ id: 'NewWebhook' });

export const webhookChange = objectOf({
  ...z.object(commonMembers).partial().shape,
  events: events.nullable().optional().meta(orNull),
}).meta({ id: 'WebhookChange', description: '`active: true` also forgets earlier failures.' });

/** A webhook in an answer. */
export const webhookResponse = z
  .object({
    id: z.uuid(),
    url: z.string(),
    events: z.array(z.string()).nullable().describe('null: all that need not be named.'),
    ...commonResponse(millisecondTime),
  })
  .meta({ id: 'Webhook' });

/** The answer that shows a secret, this one time. */
export const webhookWithSecret = webhookResponse
  .extend({
    secret: z
      .string()
      .optional()
      .describe('Signs deliveries. In the first answer alone: a replay by its Idempotency-Key is without.'),
  })
  .meta({ id: 'WebhookWithSecret' });

export const deliveryResponse = deliveryResponseWith(millisecondTime);

export type NewWebhook = z.output<typeof newWebhook>;
export type WebhookChange = z.output<typeof webhookChange>;
export type WebhookResponse = z.output<typeof webhookResponse>;

/** A body of this schema. Throws `validation` naming every fault. */
export function parseWebhook<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const result = schema.safeParse(body);
  if (!result.success) throw invalidFields(issueDetails(result.error, 'body'));
  return result.data;
}
