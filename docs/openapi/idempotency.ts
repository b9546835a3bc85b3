// Adds the optional header Idempotency-Key, and its responses, to an operation.
import { z } from 'zod';
import type { Operation, ResponseHeaders } from '../../shared/platform/http/openapi.ts';
import type { Source } from './sources.ts';

const replayHeader: ResponseHeaders = {
  'Idempotent-Replay': {
    description: '`true` if this is the stored response of an earlier request with the same key.',
    required: false,
    schema: { type: 'string', enum: ['true'] },
  },
};

const keyHeader = {
  'Idempotency-Key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/)
    .optional()
    .describe('The same request with the same key runs only once. The response is stored for 24 hours.'),
};

/** Responses that are stored and replayed. */
const REPLAYED = /^(2..|404|409|412|422)$/;

/** The operation with the key's request header, error responses and response header. */
export function withOptionalKey(operation: Operation, errorResponse: Source['errorResponse']): Operation {
  const { request = {}, responses } = operation;
  const all: Operation['responses'] = {
    ...responses,
    409: responses[409] ?? errorResponse('The Idempotency-Key is in use.'),
    422: responses[422] ?? errorResponse('The Idempotency-Key belongs to another request.'),
  };
  const { headers } = request;
  const others = headers instanceof z.ZodObject ? headers.shape : {};
  return {
    ...operation,
    request: { ...request, headers: z.object({ ...others, ...keyHeader }) },
    responses: Object.fromEntries(
      Object.entries(all).map(([status, response]) => [
        status,
        REPLAYED.test(status)
          ? { ...response, headers: { ...('headers' in response && response.headers), ...replayHeader } }
          : response,
      ]),
    ) as Operation['responses'],
  };
}
