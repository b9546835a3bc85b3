// What the descriptions of all interfaces share. Only the generator of the documents loads this: a function starts without.
import type { RouteConfig } from '@hono/zod-openapi';
import { z } from 'zod';
import { MAX_BODY_BYTES } from '../request/body.ts';
import type { Endpoints } from './endpoint.ts';

/** What OpenAPI says of an endpoint beside its method, its path and its name. */
export type Operation = Omit<RouteConfig, 'method' | 'path' | 'operationId'>;

/** A description for each endpoint of a file. */
export type OperationsOf<E extends Endpoints> = Readonly<Record<keyof E, Operation>>;

export const json = (schema: z.ZodType) => ({ 'application/json': { schema } });

/** Headers of an answer, by name. */
export type ResponseHeaders = Record<
  string,
  {
    description: string;
    required: boolean;
    schema: { type: 'string' | 'integer'; minimum?: number; maxLength?: number; enum?: string[] };
  }
>;

/** Of a header that every such answer has; others are `required: false`. */
const integerHeader = (description: string) => ({
  description,
  required: true,
  schema: { type: 'integer' as const, minimum: 0 },
});

/** Of the bodies of a 503. */
export const effectMember = z
  .enum(['none', 'unknown'])
  .optional()
  .describe('Of a 503: whether nothing was done, or nobody knows.');

export const retryAfterHeader = { 'Retry-After': integerHeader('Seconds to wait.') };

export const rateLimitHeaders = {
  'X-RateLimit-Limit': integerHeader("Requests a minute of the tenant's plan."),
  'X-RateLimit-Remaining': integerHeader('Requests left in this minute.'),
  'X-RateLimit-Reset': integerHeader('Unix time when the minute ends.'),
};

/** The headers where an answer may come without them. */
export const optionalHeaders = (headers: ResponseHeaders): ResponseHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, { ...header, required: false }]));

export const requestIdHeader = {
  'X-Request-Id': {
    description:
      "The request's own X-Request-Id where it has one, of at most 128 visible ASCII characters; else one that was made for it.",
    required: true,
    schema: { type: 'string' as const, maxLength: 128 },
  },
};

/** Of a 405. */
export const allowHeader = {
  Allow: { description: 'The methods of this address.', required: true, schema: { type: 'string' as const } },
};

/** A 401 or 403 says how to authenticate (RFC 9110, RFC 6750). */
export const challengeHeaders = {
  'WWW-Authenticate': {
    description: 'The scheme to authenticate with.',
    required: true,
    schema: { type: 'string' as const },
  },
};

export const BODY_LIMIT = `${MAX_BODY_BYTES / 1024 / 1024} MiB`;

export const utcMilliseconds = z.iso.datetime().describe('UTC, with milliseconds.');

/** An event as a webhook's receiver gets it. */
export interface EventDescription {
  summary: string;
  data: z.ZodType;
}

/** What every event holds; `type` is its own name. */
export const eventOf = (type: string, data: z.ZodType) =>
  z.object({
    id: z.string().describe('Id of the event. All webhooks and the feed have the same id.'),
    type: z.literal(type),
    created_at: utcMilliseconds,
    data,
  });

const deliveryHeader = (description: string) => z.string().describe(description);

/** Headers of [Standard Webhooks](https://www.standardwebhooks.com), which each delivery has beside those of its interface. */
export const standardWebhookHeaders = {
  'webhook-id': deliveryHeader('Id of the delivery, the same on every attempt.'),
  'webhook-timestamp': deliveryHeader('Unix time of the attempt.'),
};
export const standardSignature = deliveryHeader(
  '`v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64.',
);
