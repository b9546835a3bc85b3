// What bodies about webhooks hold, and what answers do, in both interfaces.
import { z } from 'zod';
import { instant, text } from '../../platform/validation.ts';
import { eventFilterMembers, eventFiltersResponse } from './event-filters.ts';
import { headersMember } from './headers.ts';
import { deliveryStatuses, replayStatuses, webhookStatuses } from './states.ts';

const MAX_URL_LENGTH = 2048;
/** More than there are types. */
const MAX_EVENTS = 100;
export const MAX_FOLD_SECONDS = 300;
const nullableText = z.string().nullable();

/** The `events` of a body: some of these types, each once. `known` has what each name of the interface stands for. */
export const eventsMember = (known: ReadonlyMap<string, string>) =>
  z
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
    });

/** Members that bodies of both interfaces have. */
export const commonMembers = {
  url: text({ maxLength: MAX_URL_LENGTH, filled: true }).describe('HTTPS, without credentials.'),
  ...eventFilterMembers,
  headers: headersMember,
  ordered: z
    .boolean({ error: 'must be true or false' })
    .optional()
    .describe(
      'Sends events of one record in their order: each when those before it were delivered or given up.',
    ),
  fold_seconds: z
    .int({ error: `must be a whole number from 1 to ${MAX_FOLD_SECONDS}` })
    .min(1, { error: `must be a whole number from 1 to ${MAX_FOLD_SECONDS}` })
    .max(MAX_FOLD_SECONDS, { error: `must be a whole number from 1 to ${MAX_FOLD_SECONDS}` })
    .nullable()
    .optional()
    .describe(
      'Folds events of one record and one type that happen within so many seconds of the first into one delivery, at the end of that time: the last event, with what any of them changed. null for a delivery each.',
    ),
  description: text({ maxLength: 255 }).nullable().optional(),
  active: z.boolean({ error: 'must be true or false' }).optional().describe('true when absent.'),
};

/** Members of a webhook in an answer, but for `events`; `time` is as the interface shows times. */
export const commonResponse = (time: z.ZodType<string>) => ({
  ...eventFiltersResponse,
  ordered: z.boolean(),
  fold_seconds: z.int().nullable(),
  header_names: z.array(z.string()).describe('Names of its own headers; their values are never shown.'),
  description: nullableText,
  active: z.boolean(),
  status: z
    .enum(webhookStatuses)
    .describe(
      '`paused`: what happens is kept for it, for 30 days, until it is resumed. `suspended`: it fails, and one delivery is tried after a while; when it arrives, the others follow. `deactivated`: `active` is false, and what happens is not kept.',
    ),
  public_key: nullableText.describe(
    'Verifies `v1a` of `webhook-signature` (Ed25519), with a secret and without: `whpk_` and 32 bytes in base64. null for one that was made in Studio until it is first sent something.',
  ),
  created_at: time,
  updated_at: time,
});

/** The keys of a webhook: a JSON Web Key Set. */
export const keySetResponse = z
  .object({
    keys: z.array(
      z.object({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        x: z.string().describe('The key, in base64url.'),
        use: z.literal('sig'),
        alg: z.literal('EdDSA'),
        kid: z.string().describe('Its thumbprint.'),
      }),
    ),
  })
  .meta({ id: 'KeySet', description: 'A JSON Web Key Set (RFC 7517, RFC 8037).' });

/** Members of the payload of a delivery that stands for several events. */
export const burstMembers = {
  changed: z
    .array(z.string())
    .optional()
    .describe('Of a webhook with `fold_seconds`: what any of its events changed, in the order of the names.'),
  folded: z.int().optional().describe('Of a webhook with `fold_seconds`: the events that this stands for.'),
};

/** A delivery in an answer. */
export const deliveryResponseWith = (time: z.ZodType<string>) =>
  z
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

/** What is to be sent again. */
export const replayRequest = z
  .object({
    since: instant.optional().describe('All events from then on that match the webhook and are kept.'),
    failed: z
      .boolean({ error: 'must be true or false' })
      .optional()
      .describe('true: only deliveries that failed, with `since` those of events from then on.'),
  })
  .superRefine(({ since, failed }, ctx) => {
    if (since !== undefined || failed === true) return;
    ctx.addIssue({ code: 'custom', path: ['since'], message: 'is required, unless failed is true' });
  })
  .meta({ id: 'ReplayRequest', description: '`since`, or `failed: true`, or both.' });

/** How far a replay is. */
export const replay = z
  .object({
    id: z.uuid(),
    status: z.enum(replayStatuses),
    total: z.int().describe('Deliveries that are sent again.'),
    sent: z.int().describe('Those of them that were tried since, or given up.'),
  })
  .meta({ id: 'Replay' });

export type ReplayRequest = z.output<typeof replayRequest>;
export type Replay = z.output<typeof replay>;
export type DeliveryResponse = z.output<ReturnType<typeof deliveryResponseWith>>;
export type TestResponse = z.output<typeof testResponse>;
export type ReplayResponse = z.output<typeof replayResponse>;
