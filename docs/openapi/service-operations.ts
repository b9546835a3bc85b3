// OpenAPI descriptions of the health checks and the OpenAPI document, which every function serves without authentication.
import { z } from 'zod';
import type { Endpoint } from '../../shared/platform/http/endpoint.ts';
import { json, type Operation } from '../../shared/platform/http/openapi.ts';

type Route = Pick<Endpoint, 'method' | 'path'>;

/** By `operationId`. Each variant's document has its own path. */
export const serviceRoutes = (document: string): Record<string, Route> => {
  const [, variant] = /^v1-(\w)$/.exec(document) ?? [];
  return {
    getHealth: { method: 'get', path: '/health' },
    getLiveness: { method: 'get', path: '/health/live' },
    getReadiness: { method: 'get', path: '/health/ready' },
    getOpenApiDocument: { method: 'get', path: variant ? `/openapi-${variant}.json` : '/openapi.json' },
  };
};

const health = (status: 'ok' | 'unavailable') => json(z.object({ status: z.literal(status) }));

const outcome = (...values: [string, ...string[]]) => z.enum(values);
const required = outcome('ok', 'failed');
const optional = outcome('ok', 'degraded').optional();

const readiness = (...statuses: [string, ...string[]]) =>
  json(
    z.object({
      status: z.enum(statuses),
      checks: z.object({
        ...{ database: required, write: required, request: required, schema: required },
        ...{ environment: required, pooler: required },
        ...{ redis: optional, queue: optional },
      }),
      version: z.string(),
      commit: z.string().optional(),
      deno: z.string().optional(),
      age_seconds: z.int().nonnegative(),
    }),
  );

type Response = Operation['responses'][string];

/** `refused` is the response to a method other than GET. */
export const serviceOperations = (refused: Response): Readonly<Record<string, Operation>> => ({
  getHealth: {
    tags: ['Service'],
    summary: 'Check the health of the function',
    description: 'No authentication. Results are cached for one second.',
    responses: {
      200: { description: 'The function is healthy.', content: health('ok') },
      405: refused,
      503: {
        description: 'The function is unavailable. Its log contains the reason.',
        content: health('unavailable'),
      },
    },
  },
  getLiveness: {
    tags: ['Service'],
    summary: 'Check whether a worker responds',
    description: 'No authentication. It does not check the database or other services.',
    responses: {
      200: { description: 'The worker responds.', content: health('ok') },
      405: refused,
    },
  },
  getReadiness: {
    tags: ['Service'],
    summary: 'Check whether the function can do its work',
    description:
      'No authentication. It reads and writes the database, and checks Redis and QStash if the function uses them. Results are cached for ten seconds.',
    responses: {
      200: {
        description: 'The function works. It is degraded if Redis or QStash does not respond.',
        content: readiness('ok', 'degraded'),
      },
      405: refused,
      503: {
        description: 'A check failed. The log of the function contains the reason.',
        headers: { 'Retry-After': { description: '10', schema: { type: 'integer' } } },
        content: readiness('unavailable'),
      },
    },
  },
  getOpenApiDocument: {
    tags: ['Service'],
    summary: 'Get the OpenAPI document',
    description: 'No authentication. It contains the URL of this deployment.',
    responses: {
      200: {
        description: 'The document, in OpenAPI 3.1.',
        content: json(z.looseObject({ openapi: z.string() })),
      },
      405: refused,
    },
  },
});
