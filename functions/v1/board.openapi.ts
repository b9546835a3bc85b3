// OpenAPI description of GET /board, which is not an endpoint of records: it has no scopes, variants or limits of the plan.
import { z } from 'zod';
import {
  challengeHeaders,
  json,
  type Operation,
  retryAfterHeader,
  textHeader,
} from '../../shared/platform/http/openapi.ts';
import { boardResponse } from '../../shared/records/boards/schema.ts';
import { earlyErrorResponse } from './responses.openapi.ts';

export const boardRoutes = { readBoard: { method: 'get', path: '/board' } } as const;

const headers = { ETag: textHeader('Version of the board in quotes, for `If-None-Match`.') };

export const boardOperations: Readonly<Record<keyof typeof boardRoutes, Operation>> = {
  readBoard: {
    tags: ['Gamification'],
    summary: 'Read a board',
    description:
      'The first 50 players of the standings of a board, without players who opted out. Requires the token of the board and no scope. ' +
      'At most 30 requests per minute for a board.',
    security: [{ board: [] }],
    request: {
      headers: z.object({
        'If-None-Match': z
          .string()
          .optional()
          .describe('The `ETag` of the board. Returns 304 if it has not changed.'),
      }),
    },
    responses: {
      200: { description: 'Read a board', headers, content: json(z.object({ data: boardResponse })) },
      304: { description: 'The board has not changed.', headers },
      400: earlyErrorResponse('`If-None-Match` is malformed.'),
      401: earlyErrorResponse(
        'The token is missing or unknown, or the board was deleted or has expired.',
        challengeHeaders,
      ),
      421: earlyErrorResponse('The workspace has moved to another project.'),
      429: earlyErrorResponse('The requests of this minute are used up.', retryAfterHeader),
      500: earlyErrorResponse('Internal error. Retry with backoff.'),
      503: earlyErrorResponse('The database is unreachable. Retry.', retryAfterHeader),
    },
  },
};
