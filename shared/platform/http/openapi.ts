// What the descriptions of all interfaces share. Only the generator of the documents loads this: a function starts without.
import type { RouteConfig } from '@hono/zod-openapi';
import { z } from 'zod';
import { MAX_BODY_BYTES } from './body.ts';
import type { Endpoints } from './endpoint.ts';

/** What OpenAPI says of an endpoint beside its method, its path and its name. */
export type Operation = Omit<RouteConfig, 'method' | 'path' | 'operationId'>;

/** A description for each endpoint of a file. */
export type OperationsOf<E extends Endpoints> = Readonly<Record<keyof E, Operation>>;

export const json = (schema: z.ZodType) => ({ 'application/json': { schema } });

const integerHeader = (description: string) => ({ description, schema: { type: 'integer' as const } });

export const retryAfterHeader = { 'Retry-After': integerHeader('Seconds to wait.') };

export const rateLimitHeaders = {
  'X-RateLimit-Limit': integerHeader("Requests a minute of the tenant's plan."),
  'X-RateLimit-Remaining': integerHeader('Requests left in this minute.'),
  'X-RateLimit-Reset': integerHeader('Unix time when the minute ends.'),
};

/** A 401 or 403 says how to authenticate (RFC 9110, RFC 6750). */
export const challengeHeaders = {
  'WWW-Authenticate': {
    description: 'The scheme to authenticate with.',
    schema: { type: 'string' as const },
  },
};

export const BODY_LIMIT = `${MAX_BODY_BYTES / 1024 / 1024} MiB`;

export const millisecondTime = z.iso.datetime().describe('UTC, with milliseconds.');
