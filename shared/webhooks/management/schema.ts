// Request and response schemas of webhooks that both interfaces share.
import { z } from 'zod';
import { evenIfInvalid, instant, required, text } from '../../platform/validation.ts';
import { asciiHost } from '../../platform/written-forms.ts';
import { eventFilterMembers, eventFiltersResponse } from './event-filters.ts';
import { headersMember } from './headers.ts';
import { deliveryStatuses, replayStatuses, webhookStatuses } from './states.ts';

const MAX_URL_LENGTH = 2048;
/** More than the number of event types. */
const MAX_EVENTS = 100;
export const MAX_FOLD_SECONDS = 300;
const nullableText = z.string().nullable();

/** The member `events` of a request, without duplicates. `known` maps the interface's names to canonical types. */
export const eventsMember = (known: ReadonlyMap<string, string>) =>
  z
    .array(z.string({ error: 'must be an array of event types' }), {
      error: required('must be an array of event types'),
    })
    .min(1, { error: 'must contain at least one event type' })
    .max(MAX_EVENTS, { error: `must have at most ${MAX_EVENTS} items` })
    .transform((names, ctx) => {
      const unknown = names.filter((name) => !known.has(name));
      if (unknown.length > 0) {
        const message = `must contain only ${[...known.keys()].join(', ')}`;
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

/** Members of requests in both interfaces. */
export const commonMembers = {
  url: text({ maxLength: MAX_URL_LENGTH, filled: true })
    .overwrite((url) => url.replace(/(?<=^https?:\/\/)[^/?#:@\s]+/i, asciiHost))
    .describe('HTTPS, without credentials. The host of an internationalized domain is stored in ASCII form.')
    .meta({ format: 'uri' }),
  ...eventFilterMembers,
  headers: headersMember,
  ordered: z
    .boolean({ error: 'must be true or false' })
    .optional()
    .describe(
      'Sends the events of one record in order: each after the previous ones were delivered or have failed.',
    ),
  fold_seconds: z
    .int({ error: `must be an integer from 1 to ${MAX_FOLD_SECONDS}` })
    .min(1, { error: `must be an integer from 1 to ${MAX_FOLD_SECONDS}` })
    .max(MAX_FOLD_SECONDS, { error: `must be an integer from 1 to ${MAX_FOLD_SECONDS}` })
    .nullable()
    .optional()
    .describe(
      'Combines the events of one record and type within this many seconds of the first event into one delivery. It is sent at the end of ' +
        'that time and contains the last event and the members that any of the events changed. null sends each event separately.',
    ),
  description: text({ maxLength: 255 }).nullable().optional(),
  active: z.boolean({ error: 'must be true or false' }).optional().describe('Defaults to true.'),
};

/** Members of a webhook in responses, except `events`. `time` is the time format of the interface. */
export const commonResponse = (time: z.ZodType<string>) => ({
  ...eventFiltersResponse,
  ordered: z.boolean(),
  fold_seconds: z.int().nullable(),
  header_names: z.array(z.string()).describe('Names of the custom headers. Their values are never returned.'),
  description: nullableText,
  active: z.boolean(),
  status: z
    .enum(webhookStatuses)
    .describe(
      '`paused`: events are kept for 30 days until the webhook is resumed. `suspended`: deliveries fail; after a delay one delivery is ' +
        'attempted, and if it succeeds, the others follow. `deactivated`: `active` is false and events are not kept.',
    ),
  public_key: nullableText.describe(
    'Verifies the signature `v1a` in `webhook-signature` (Ed25519), which is present with and without a secret: `whpk_` and 32 bytes in ' +
      'base64. null for a webhook that was created in Studio and has not been sent a delivery.',
  ),
  created_at: time,
  updated_at: time,
});

/** The public keys of a webhook as a JSON Web Key Set. */
export const keySetResponse = z
  .object({
    keys: z.array(
      z.object({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        x: z.string().describe('The key, in base64url.'),
        use: z.literal('sig'),
        alg: z.literal('EdDSA'),
        kid: z.string().describe('Thumbprint of the key (RFC 7638).'),
      }),
    ),
  })
  .meta({ id: 'KeySet', description: 'A JSON Web Key Set (RFC 7517, RFC 8037).' });

/** Payload members of a delivery that combines several events. */
export const foldMembers = {
  changed: z
    .array(z.string())
    .optional()
    .describe(
      'For webhooks with `fold_seconds`: sorted names of the members that any of the events changed.',
    ),
  folded: z.int().optional().describe('For webhooks with `fold_seconds`: number of events in this delivery.'),
};

/** A delivery in a response. */
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
      error: nullableText.describe(
        'Why it has not been delivered; null if it has been, or before the first attempt.',
      ),
      response_excerpt: nullableText.describe('The first KiB of the last response; null if there was none.'),
      attempts: z
        .array(
          z.object({
            at: time,
            status: z.int().nullable().describe('HTTP status; null if there was no response.'),
            error: nullableText,
            duration_ms: z.int(),
          }),
        )
        .describe('The last 20 attempts, oldest first.'),
      retry_count: z.int(),
      created_at: time,
      next_attempt_at: time.nullable(),
    })
    .meta({ id: 'Delivery' });

export const testResponse = z.object({ event_id: z.string(), delivery_id: z.string() });
export const replayResponse = z.object({ delivery_id: z.string() });

/** The request to start a replay. */
export const replayRequest = z
  .object({
    since: instant.optional().describe('Sends all kept events since this time that match the webhook.'),
    failed: z
      .boolean({ error: 'must be true or false' })
      .optional()
      .describe('If true, sends only failed deliveries. With `since`, only those of events since then.'),
  })
  .refine(({ since, failed = false }) => since !== undefined || failed !== false, {
    path: ['since'],
    error: 'is required unless failed is true',
    ...evenIfInvalid,
  })
  .meta({ id: 'ReplayRequest', description: '`since`, or `failed: true`, or both.' });

/** The progress of a replay. */
export const replay = z
  .object({
    id: z.uuid(),
    status: z.enum(replayStatuses),
    total: z.int().describe('Number of deliveries to send again.'),
    sent: z.int().describe('Number of these deliveries that were attempted or have failed since.'),
  })
  .meta({ id: 'Replay' });

export type ReplayRequest = z.output<typeof replayRequest>;
export type Replay = z.output<typeof replay>;
export type DeliveryResponse = z.output<ReturnType<typeof deliveryResponseWith>>;
export type TestResponse = z.output<typeof testResponse>;
export type ReplayResponse = z.output<typeof replayResponse>;
