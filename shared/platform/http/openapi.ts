// Shared parts of the OpenAPI descriptions of all interfaces. Only the document generator loads this file; functions never do.
import type { RouteConfig } from '@hono/zod-openapi';
import { z } from 'zod';
import { MAX_BODY_BYTES } from '../request/body.ts';
import type { Endpoints } from './endpoint.ts';

/** The OpenAPI description of an endpoint, without its method, path and `operationId`. */
export type Operation = Omit<RouteConfig, 'method' | 'path' | 'operationId'>;

/** One description for each endpoint of a file. */
export type OperationsOf<E extends Endpoints> = Readonly<Record<keyof E, Operation>>;

export const json = (schema: z.ZodType) => ({ 'application/json': { schema } });

/** Response headers by name. */
export type ResponseHeaders = Record<
  string,
  {
    description: string;
    required: boolean;
    schema: { type: 'string' | 'integer'; minimum?: number; maxLength?: number; enum?: string[] };
  }
>;

/** Response headers that are always present. Optional headers have `required: false`. */
export const textHeader = (description: string) => ({
  description,
  required: true,
  schema: { type: 'string' as const },
});
const integerHeader = (description: string) => ({
  description,
  required: true,
  schema: { type: 'integer' as const, minimum: 0 },
});

/** The member `effect` in the body of a 503. */
export const effectMember = z
  .enum(['none', 'unknown'])
  .optional()
  .describe('Only for 503: `none` if nothing was done, `unknown` if the request may have been executed.');

export const retryAfterHeader = { 'Retry-After': integerHeader('Seconds to wait before retrying.') };

export const rateLimitHeaders = {
  'X-RateLimit-Limit': integerHeader("Requests per minute in the tenant's plan."),
  'X-RateLimit-Remaining': integerHeader('Requests left in this minute.'),
  'X-RateLimit-Reset': integerHeader('Unix time when the minute ends.'),
};

/** The same headers, marked as optional. */
export const optionalHeaders = (headers: ResponseHeaders): ResponseHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, { ...header, required: false }]));

export const requestIdHeader = {
  'X-Request-Id': {
    description:
      'The `X-Request-Id` of the request if it has at most 128 visible ASCII characters; otherwise a generated id.',
    required: true,
    schema: { type: 'string' as const, maxLength: 128 },
  },
};

/** Description of the 421, and its headers. */
export const movedDescription =
  'The workspace has moved to another project: send requests to `moved_to`. Nothing was done. Only returned to callers with valid credentials.';
export const movedMember = z
  .url()
  .optional()
  .describe('Only for 421: the base URL of the functions that serve the workspace now.');
export const movedHeaders = {
  Link: textHeader('The new base URL, with `rel="successor-version"`.'),
  'Cache-Control': textHeader('`no-store`.'),
};

/** Header of a 405. */
export const allowHeader = { Allow: textHeader('The methods that this path supports.') };

/** Header of a 401 or 403 that describes how to authenticate (RFC 9110, RFC 6750). */
export const challengeHeaders = { 'WWW-Authenticate': textHeader('The authentication scheme to use.') };

export const BODY_LIMIT = `${MAX_BODY_BYTES / 1024 / 1024} MiB`;

const utcMilliseconds = z.iso.datetime().describe('UTC, with milliseconds.');

/** Describes an event as webhooks deliver it. */
export interface EventDescription {
  summary: string;
  data: z.ZodType;
}

/** The schema of an event of this type. */
export const eventOf = (type: string, data: z.ZodType) =>
  z.object({
    id: z.string().describe('Id of the event, the same in all webhooks and in the feed.'),
    type: z.literal(type),
    created_at: utcMilliseconds,
    data,
  });

const deliveryHeader = (description: string) => z.string().describe(description);

/** Headers of [Standard Webhooks](https://www.standardwebhooks.com). Each delivery has them in addition to those of its interface. */
export const standardWebhookHeaders = {
  'webhook-id': deliveryHeader('Id of the delivery, the same on every attempt.'),
  'webhook-timestamp': deliveryHeader('Unix time of the attempt.'),
};
export const standardSignature = deliveryHeader(
  '`v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64.',
);
