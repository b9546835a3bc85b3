// What bodies about webhooks hold.
import { z } from 'zod';
import { text } from '../../platform/validation.ts';
import type { Variant } from '../variants/variant.ts';
import { eventTypes } from './serialize.ts';

const MAX_URL_LENGTH = 2048;

/** The events that this variant can subscribe to, by its names, and their canonical ones. */
export function knownEvents({ eventTypes: own }: Variant): Map<string, string> {
  const pairs = eventTypes.flatMap((type) => {
    const name = own[type];
    return name ? [[name, type] as const, [type, type] as const] : [[type, type] as const];
  });
  return new Map(pairs);
}

function members(variant: Variant) {
  const known = knownEvents(variant);
  return {
    url: text({ maxLength: MAX_URL_LENGTH, filled: true }).describe('HTTPS, without credentials.'),
    events: z
      .array(z.string({ error: 'must be an array of event types' }), {
        error: (issue) => (issue.input === undefined ? 'is required' : 'must be an array of event types'),
      })
      .min(1, { error: 'must name at least one event type' })
      .transform((names, ctx) => {
        const unknown = names.filter((name) => !known.has(name));
        if (unknown.length > 0) {
          const message = `must be among ${[...known.keys()].join(', ')}`;
          ctx.addIssue({ code: 'custom', message });
          return z.NEVER;
        }
        return [...new Set(names.map((name) => known.get(name) ?? name))];
      })
      .meta({ type: 'array', items: { type: 'string', enum: [...known.keys()] }, minItems: 1 }),
    secret: text({ maxLength: 255 })
      .nullable()
      .optional()
      .transform((value) => (value === '' ? null : value))
      .describe('Signs deliveries. Shown in the answer to its creation and nowhere else.'),
    description: text({ maxLength: 255 }).nullable().optional(),
    active: z.boolean({ error: 'must be true or false' }).optional().describe('true when absent.'),
  };
}

export const newWebhook = (variant: Variant) => z.object(members(variant)).meta({ id: 'NewWebhook' });

export const webhookChange = (variant: Variant) =>
  z
    .object(z.object(members(variant)).partial().shape)
    .meta({ id: 'WebhookChange', description: '`active: true` also forgets earlier failures.' });

export type NewWebhook = z.output<ReturnType<typeof newWebhook>>;
export type WebhookChange = z.output<ReturnType<typeof webhookChange>>;
