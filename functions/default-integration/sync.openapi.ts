// OpenAPI descriptions of activity sync.
import { z } from 'zod';
import {
  activitySchema,
  duplicateItemSchema,
  MAX_ACTIVITIES,
  skippedItemSchema,
} from '../../shared/activity/activities.ts';
import { collaboratorSchema, MAX_COLLABORATORS } from '../../shared/activity/collaborators.ts';
import {
  allowHeader,
  BODY_LIMIT,
  challengeHeaders,
  effectMember,
  json,
  movedDescription,
  movedHeaders,
  movedMember,
  type OperationsOf,
  type ResponseHeaders,
  retryAfterHeader,
} from '../../shared/platform/http/openapi.ts';
import type { syncEndpoints } from './sync.ts';

const meta = z
  .object({
    request_id: z.string().describe('Id of the request, same as in X-Request-Id.'),
    timestamp: z.iso.datetime().describe('UTC, with milliseconds.'),
  })
  .meta({ id: 'Meta' });

const count = (description: string) => z.int().min(0).describe(description);

const collaboratorResult = z
  .object({
    created: count('New collaborators.'),
    existing: count('Existing collaborators, matched by email address and updated.'),
    errors: z
      .array(z.string())
      .describe('One message per failed item: `Collaborator <external_id> (<email>): <reason>`.'),
    total: count('Items received.'),
  })
  .meta({ id: 'CollaboratorResult' });

const activityResult = z
  .object({
    processed: count('Activities recorded.'),
    skipped: count('Activities of unknown collaborators.'),
    skipped_items: z.array(skippedItemSchema).describe('The skipped activities, in the order of the batch.'),
    duplicates: count('Activities with an external_id that was sent before.'),
    duplicate_items: z
      .array(duplicateItemSchema)
      .describe(
        'The duplicates whose code, collaborator, time or data differ from the recorded activity, which stays unchanged.',
      ),
    unmapped: count(
      'Recorded activities whose code has no mission. They earn points once an admin maps the code.',
    ),
    errors: z
      .array(z.string())
      .describe('Always empty: a single invalid activity rejects the whole request.'),
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
        .describe('One item per invalid field. `index` is the position of the item in the batch.'),
      effect: effectMember,
      moved_to: movedMember,
      retry_after: z.int().min(0).optional().describe('Seconds to wait before retrying.'),
    }),
  })
  .meta({ id: 'Error' });

export const errorResponse = (description: string, headers: ResponseHeaders = {}) => ({
  description,
  content: json(error),
  headers: { ...headers },
});

export const syncOperations: OperationsOf<typeof syncEndpoints> = {
  syncBatch: {
    summary: 'Send collaborators or activities',
    description:
      'Safe to repeat: a repeated collaborator is updated, a repeated activity counts as a duplicate. ' +
      'An invalid collaborator is reported and does not affect the others; an invalid activity rejects the whole request.',
    tags: ['Activity sync'],
    request: { body: { required: true, content: json(requestBody) } },
    responses: {
      200: {
        description: 'The results of the items.',
        content: json(z.object({ data: z.union([collaboratorResult, activityResult]), meta })),
      },
      400: errorResponse(
        'The body is invalid, members are missing, or an activity is invalid. Nothing was recorded.',
      ),
      401: errorResponse('The API key or its signature is missing, invalid or expired.', challengeHeaders),
      403: errorResponse('The API key lacks the scope default:sync.', challengeHeaders),
      405: errorResponse('The method is not POST.', allowHeader),
      408: errorResponse('The body did not arrive in time.'),
      413: errorResponse(`The body exceeds ${BODY_LIMIT}.`),
      415: errorResponse('The body is not JSON.'),
      421: errorResponse(movedDescription, movedHeaders),
      429: errorResponse(
        "The API key's hourly limit is reached, or the tenant has too many requests or request bytes in flight.",
        retryAfterHeader,
      ),
      500: errorResponse('Internal error. Retry with backoff (2 s, 4 s, 8 s).'),
      503: errorResponse('The database is unreachable. Retry.', retryAfterHeader),
    },
  },
};
