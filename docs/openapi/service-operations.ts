// OpenAPI descriptions of the health check and the OpenAPI document, which every function serves without authentication.
import { z } from 'zod';
import type { Endpoint } from '../../shared/platform/http/endpoint.ts';
import { json, type Operation } from '../../shared/platform/http/openapi.ts';

type Route = Pick<Endpoint, 'method' | 'path'>;

/** By `operationId`. Each variant's document has its own path. */
export const serviceRoutes = (document: string): Record<string, Route> => {
  const [, variant] = /^v1-(\w)$/.exec(document) ?? [];
  return {
    getHealth: { method: 'get', path: '/health' },
    getOpenApiDocument: { method: 'get', path: variant ? `/openapi-${variant}.json` : '/openapi.json' },
  };
};

const health = (status: 'ok' | 'unavailable') => json(z.object({ status: z.literal(status) }));

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
        description: 'The function is unavailable. Its log has the reason.',
        content: health('unavailable'),
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
