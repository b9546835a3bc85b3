// OpenAPI schemas that all event feeds share.
import { z } from 'zod';
import { DEFAULT_FEED_LIMIT, FEED_LIMIT, MAX_WAIT_SECONDS } from './parse-query.ts';

export const feedParameters = {
  after: z
    .string()
    .optional()
    .describe(
      'A cursor of this feed, or `now` for its current end. Without it, the list starts with the oldest stored event.',
    ),
  types: z.string().optional().describe('Comma-separated event types; all if absent.'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(FEED_LIMIT)
    .optional()
    .describe(`Defaults to ${DEFAULT_FEED_LIMIT}.`)
    .meta({ type: 'integer' }),
  wait: z.coerce
    .number()
    .int()
    .min(0)
    .max(MAX_WAIT_SECONDS)
    .optional()
    .describe('Seconds to wait if there are no events. Defaults to 0.')
    .meta({ type: 'integer' }),
};

/** Members of a feed's events in addition to the payload of webhooks. */
export const feedMembers = {
  changed: z
    .array(z.string())
    .describe(
      'Sorted names of the members that changed, without `updated_at`; empty on creation and deletion.',
    ),
  silent: z.boolean().describe('Whether webhooks, points and automations ignored the event.'),
  cursor: z.string().describe('Continues the feed after this event.'),
};
