// What OpenAPI says of activity sync.
import { z } from 'zod';
import {
  activitySchema,
  MAX_ACTIVITIES,
  skippedItemSchema,
} from '../../shared/activity/activities/schema.ts';
import { collaboratorSchema, MAX_COLLABORATORS } from '../../shared/activity/collaborators/schema.ts';
import {
  allowHeader,
  BODY_LIMIT,
  challengeHeaders,
  effectMember,
  json,
  type OperationsOf,
  type ResponseHeaders,
  retryAfterHeader,
} from '../../shared/platform/http/openapi.ts';
import type { syncEndpoints } from './sync.ts';

const meta = z
  .object({
    request_id: z.string().describe('Id of the request, the same as X-Request-Id.'),
    timestamp: z.iso.datetime().describe('UTC, with milliseconds.'),
  })
  .meta({ id: 'Meta' });

const count = (description: string) => z.int().min(0).describe(description);

const collaboratorResult = z
  .object({
    created: count('Collaborators that were new.'),
    existing: count('Collaborators matched by e-mail and updated.'),
    errors: z
      .array(z.string())
      .describe('One message per failed item: `Collaborator <external_id> (<email>): <reason>`.'),
    total: count('Items received.'),
  })
  .meta({ id: 'CollaboratorResult' });

const activityResult = z
  .object({
    processed: count('Activities recorded.'),
    skipped: count('Activities whose collaborator is not registered.'),
    skipped_items: z.array(skippedItemSchema).describe('Which ones, in the order of the batch.'),
    duplicates: count('Activities whose external_id was already sent.'),
    errors: z.array(z.string()).describe('Empty: an invalid activity refuses the whole request.'),
    total: count('Items received.'),
  })
  .meta({ id: 'ActivityResult' });

const requestBody = z
  .discriminatedUnion('action', [
    z.object({
      action: z.literal('sync_collaborators'),
      collaborators: z.array(collaboratorSchema).max(MAX_COLLABORATORS),
    }),
    z.object({
      action: z.literal('sync_activities'),
      activities: z.array(activitySchema).max(MAX_ACTIVITIES),
    }),
  ])
  .meta({ id: 'SyncRequest' });

const error = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      details: z
        .array(z.object({ index: z.int().min(0).optional(), field: z.string(), message: z.string() }))
        .optional()
        .describe('What is wrong, field by field; index is the place in the batch.'),
      effect: effectMember,
      retry_after: z.int().min(0).optional().describe('Seconds to wait before the next try.'),
    }),
  })
  .meta({ id: 'Error' });

export const fails = (description: string, headers: ResponseHeaders = {}) => ({
  description,
  content: json(error),
  headers: { ...headers },
});

export const syncOperations: OperationsOf<typeof syncEndpoints> = {
  syncBatch: {
    summary: 'Send collaborators or activities',
    description:
      'Safe to repeat: a collaborator sent again is updated, an activity sent again counts as a duplicate. ' +
      'An invalid collaborator is reported and stops nothing; an invalid activity refuses the whole request.',
    tags: ['Activity sync'],
    request: { body: { required: true, content: json(requestBody) } },
    responses: {
      200: {
        description: 'What became of the items.',
        content: json(z.object({ data: z.union([collaboratorResult, activityResult]), meta })),
      },
      400: fails('Invalid body, missing members or invalid activities; nothing was recorded.'),
      401: fails('The key or its signature is missing, invalid or expired.', challengeHeaders),
      403: fails('The key lacks the scope default:sync.', challengeHeaders),
      405: fails('A method other than POST.', allowHeader),
      408: fails('The body did not come in time.'),
      413: fails(`The body exceeds ${BODY_LIMIT}.`),
      415: fails('The body is not JSON.'),
      429: fails(
        "The key's hourly limit is reached, or too much of the caller's is under way at once.",
        retryAfterHeader,
      ),
      500: fails('Internal error; retry with backoff (2 s, 4 s, 8 s).'),
      503: fails('The database cannot be reached.', retryAfterHeader),
    },
  },
};
