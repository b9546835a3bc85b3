// What OpenAPI says of every event feed.
import { z } from 'zod';
import { DEFAULT_FEED_LIMIT, FEED_LIMIT, MAX_WAIT_SECONDS } from './parse-query.ts';

export const feedParameters = {
  after: z
    .string()
    .optional()
    .describe('A cursor of this feed; `now` for its present end. The oldest event that is kept when absent.'),
  types: z.string().optional().describe('Types with commas between them; all when absent.'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(FEED_LIMIT)
    .optional()
    .describe(`${DEFAULT_FEED_LIMIT} when absent.`)
    .meta({ type: 'integer' }),
  wait: z.coerce
    .number()
    .int()
    .min(0)
    .max(MAX_WAIT_SECONDS)
    .optional()
    .describe('Seconds to wait for an event where there is none; 0 when absent.')
    .meta({ type: 'integer' }),
};

/** What an event of a feed has beside what a webhook brings. */
export const feedMembers = {
  changed: z
    .array(z.string())
    .describe(
      'Names of the members that changed, sorted, without `updated_at`; none where it was made or deleted.',
    ),
  silent: z.boolean().describe('Whether it was kept from webhooks, points and automations.'),
  cursor: z.string().describe('Goes on after this event.'),
};
