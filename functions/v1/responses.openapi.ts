// The responses in the OpenAPI descriptions of records: envelopes, errors and their headers.
import { z } from 'zod';
import type { NamingVariant } from '../../shared/platform/access/context.ts';
import {
  BODY_LIMIT,
  challengeHeaders,
  effectMember,
  json,
  movedDescription,
  movedHeaders,
  movedMember,
  type Operation,
  optionalHeaders,
  type ResponseHeaders,
  rateLimitHeaders,
  retryAfterHeader,
  textHeader,
} from '../../shared/platform/http/openapi.ts';
import { MAX_DETAILS } from '../../shared/platform/request/error-formats.ts';
import { id } from '../../shared/records/fields.ts';
import { variants } from '../../shared/records/variants/variants.ts';

const basicMeta = { request_id: z.string(), timestamp: z.iso.datetime() };
const meta = z.object(basicMeta).meta({ id: 'Meta' });
const listMeta = z
  .object({ ...basicMeta, page: z.int(), per_page: z.int(), total: z.int(), total_pages: z.int() })
  .meta({
    id: 'ListMeta',
    description: '`total` is exact up to 10000. Above that it is an estimate, except on the last page.',
  });
const pagination = z
  .object({ page: z.int(), per_page: z.int(), total: z.int(), total_pages: z.int() })
  .meta({ id: 'Pagination' });

const feedMeta = z.object({ ...basicMeta, next_cursor: z.string(), has_more: z.boolean() }).meta({
  id: 'FeedMeta',
  description: 'Pass `next_cursor` as `after` in the next request. It is always present.',
});

const logMeta = z.object({ ...basicMeta, next_cursor: z.string().nullable(), has_more: z.boolean() }).meta({
  id: 'LogMeta',
  description: 'Pass `next_cursor` as `after` in the next request while `has_more` is true.',
});
const actMeta = z
  .object({
    ...basicMeta,
    summary: z.string().describe('The change in one sentence, as in the audit trail.'),
  })
  .meta({ id: 'ActMeta' });

export const errorMembers = {
  code: z.string().describe('Machine-readable error code.'),
  message: z.string(),
  details: z.array(z.object({ field: z.string(), message: z.string() })).max(MAX_DETAILS),
  details_truncated: z.literal(true).optional().describe('Present if there are more details than listed.'),
  effect: effectMember,
  moved_to: movedMember,
  existing_id: id
    .optional()
    .describe('Id of the existing record with this email address, external id or name.'),
  ids: z.array(z.string()).optional().describe('Ids of the records with this name.'),
  state: z.string().optional().describe('The state of the record that does not allow the request.'),
  merged_into: id.optional().describe('Id of the lead into which this one was merged.'),
  current: z
    .looseObject({})
    .optional()
    .describe('The current record, if its version does not match `If-Match`.'),
};

const error = z
  .object({
    error: z.object({
      ...errorMembers,
      results: z
        .array(z.object({ status: z.int(), error: z.object(errorMembers).optional() }))
        .optional()
        .describe('For an atomic batch: the error of each operation, or 424 for valid operations.'),
    }),
    meta,
  })
  .meta({ id: 'Error' });

const errorResponse = (description: string, headers: ResponseHeaders = {}) => ({
  description,
  content: json(error),
  headers: { ...rateLimitHeaders, ...headers },
});

/** A failure that can occur before the tenant is known, so the rate limit headers are optional. */
export const earlyErrorResponse = (description: string, headers: ResponseHeaders = {}) =>
  errorResponse(description, { ...optionalHeaders(rateLimitHeaders), ...headers });

const entityTagHeaders: ResponseHeaders = {
  ETag: textHeader('Version of the record in quotes, for `If-Match` and `If-None-Match`.'),
  Vary: textHeader('Request headers that affect the response.'),
};

const failures = {
  400: errorResponse(
    'A field, parameter or header is missing or malformed, or a parameter is repeated. `details` lists each of them.',
  ),
  401: earlyErrorResponse(
    'The token is missing, invalid or expired, or its client is revoked.',
    challengeHeaders,
  ),
  403: errorResponse('The token lacks the scope.', challengeHeaders),
  404: errorResponse('The record does not exist in this workspace.'),
  409: errorResponse('The request conflicts with existing data.'),
  410: errorResponse('The events after this cursor are no longer stored.'),
  408: earlyErrorResponse('The body did not arrive in time.'),
  412: errorResponse(
    'The version of the record does not match `If-Match`, or the record does not exist.',
    optionalHeaders(entityTagHeaders),
  ),
  413: earlyErrorResponse(`The body exceeds ${BODY_LIMIT}.`),
  415: errorResponse('The body is not JSON.'),
  421: earlyErrorResponse(movedDescription, movedHeaders),
  422: errorResponse('The request is well-formed but cannot be executed with these values.'),
  429: errorResponse("The plan's requests for this minute are used up.", retryAfterHeader),
  500: earlyErrorResponse('Internal error. Retry with backoff.'),
  503: earlyErrorResponse('The database is unreachable. Retry.', retryAfterHeader),
};
export type Failure = keyof typeof failures;
const ALWAYS: Failure[] = [400, 401, 403, 421, 429, 500, 503];
/** The failures of endpoints that accept a body. */
export const WITH_BODY: Failure[] = [408, 413, 415];

/** What envelopes have beside `data`. */
const envelopes = {
  meta: { meta: listMeta },
  pagination: { pagination },
  feed: { meta: feedMeta },
  log: { meta: logMeta },
  none: {},
  one: { meta },
  act: { meta: actMeta },
} satisfies Record<string, z.ZodRawShape>;
export type Envelope = keyof typeof envelopes | 'plain';
/** The envelope of lists in a variant. */
export const listOf = (variant: NamingVariant) => (variants[variant].listsInMeta ? 'meta' : 'pagination');

interface Answers {
  summary: string;
  status: number;
  /** Status if the request creates the record, for operations that create or update. */
  createdStatus: 201 | undefined;
  data: z.ZodType | undefined;
  envelope: Envelope;
  /** Whether the success has an ETag. */
  showsTag: boolean;
  /** The precondition that the request accepts. */
  condition: 'If-Match' | 'If-None-Match' | undefined;
  /** Besides those of all endpoints. */
  failures: readonly Failure[];
}

/** The responses of an operation by status. */
export function responsesOf(answers: Answers): Operation['responses'] {
  const { summary, status, createdStatus, data, envelope, showsTag, condition } = answers;
  const content = data && {
    content: json(envelope === 'plain' ? data : z.object({ data, ...envelopes[envelope] })),
  };
  const tagged = { ...rateLimitHeaders, ...entityTagHeaders };
  const expected = [...ALWAYS, ...answers.failures, ...(condition === 'If-Match' ? [412 as const] : [])];
  return {
    [status]: { description: summary, headers: showsTag ? tagged : rateLimitHeaders, ...content },
    ...(createdStatus && {
      [createdStatus]: { description: `${summary}: created.`, headers: tagged, ...content },
    }),
    ...(condition === 'If-None-Match' && {
      304: { description: 'The record has not changed.', headers: tagged },
    }),
    ...Object.fromEntries(expected.sort((a, b) => a - b).map((code) => [code, failures[code]])),
  };
}
