// What every function answers beside its endpoints, to anybody.
import { z } from 'zod';
import type { Endpoint } from '../../shared/platform/http/endpoint.ts';
import { json, type Operation } from '../../shared/platform/http/openapi.ts';

type Route = Pick<Endpoint, 'method' | 'path'>;

/** By `operationId`. A document of a variant has an address of its own. */
export const serviceRoutes = (document: string): Record<string, Route> => {
  const [, variant] = /^v1-(\w)$/.exec(document) ?? [];
  return {
    getHealth: { method: 'get', path: '/health' },
    getOpenApiDocument: { method: 'get', path: variant ? `/openapi-${variant}.json` : '/openapi.json' },
  };
};

const health = (status: 'ok' | 'unavailable') => json(z.object({ status: z.literal(status) }));

type Response = Operation['responses'][string];

/** `refused` is how the interface answers another method than GET. */
export const serviceOperations = (refused: Response): Readonly<Record<string, Operation>> => ({
  getHealth: {
    tags: ['Service'],
    summary: 'Whether the function can do its work',
    description: 'For anybody. An answer holds for a second.',
    responses: {
      200: { description: 'It can.', content: health('ok') },
      405: refused,
      503: { description: 'It cannot: its log says why.', content: health('unavailable') },
    },
  },
  getOpenApiDocument: {
    tags: ['Service'],
    summary: 'Get this document',
    description: 'For anybody, with the address of this deployment.',
    responses: {
      200: { description: 'OpenAPI 3.1.', content: json(z.looseObject({ openapi: z.string() })) },
      405: refused,
    },
  },
});
