// Shared parts of the OpenAPI descriptions of payments: errors, idempotency keys, pages.
import { z } from 'zod';
import {
  BODY_LIMIT,
  challengeHeaders,
  effectMember,
  json,
  movedDescription,
  movedHeaders,
  movedMember,
  type Operation,
  type ResponseHeaders,
  retryAfterHeader,
} from '../../shared/platform/http/openapi.ts';
import { MAX_DETAILS } from '../../shared/platform/request/error-formats.ts';

const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string().describe('Path of the request.'),
    code: z.string().describe('Machine-readable error code.'),
    request_id: z.string(),
    errors: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .max(MAX_DETAILS)
      .optional(),
    details_truncated: z.literal(true).optional().describe('Present if there are more errors than listed.'),
    effect: effectMember,
    moved_to: movedMember,
    retryable: z
      .boolean()
      .optional()
      .describe('For provider_error: whether a retry with the same Idempotency-Key can succeed.'),
  })
  .meta({ id: 'Problem' });

export const errorResponse = (description: string, headers?: ResponseHeaders) => ({
  description,
  content: { 'application/problem+json': { schema: problem } },
  ...(headers && { headers: { ...headers } }),
});

const failures = {
  400: errorResponse('The JSON is malformed, or a required header is missing.'),
  401: errorResponse('The API key or its signature is missing, invalid or expired.', challengeHeaders),
  403: errorResponse('The API key lacks the scope.', challengeHeaders),
  404: errorResponse('The resource does not exist or belongs to another tenant.'),
  421: errorResponse(movedDescription, movedHeaders),
  422: errorResponse('A field or parameter is invalid, or a parameter is repeated.'),
  429: errorResponse("The API key's hourly limit is reached.", retryAfterHeader),
  500: errorResponse('Internal error. Retry with backoff.'),
  503: errorResponse(
    'A required service is unreachable. Retry, and use the same Idempotency-Key for a POST.',
    retryAfterHeader,
  ),
};
const postFailures = {
  409: errorResponse(
    'The state of the resource does not allow the request, or the Idempotency-Key is in use or belongs to another request.',
  ),
  408: errorResponse('The body did not arrive in time.'),
  413: errorResponse(`The body exceeds ${BODY_LIMIT}.`),
  415: errorResponse('The body is not JSON.'),
  501: errorResponse('The region, currency or document type is not available.'),
  502: errorResponse(
    'The provider rejected the order (`retryable` is false) or failed (`retryable` is true).',
  ),
};

/** Present on replayed responses. */
const replayHeader = {
  'Idempotent-Replay': {
    description: '`true` if this is the stored response of an earlier request with the same key.',
    required: false,
    schema: { type: 'string' as const, enum: ['true'] },
  },
};
const REPLAYED = [404, 409, 422, 501, 502];
const keyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .describe('The same request with the same key runs only once. The response is stored for 24 hours.'),
});

export const idParameter = z.object({
  id: z.string().describe('Starts with a prefix such as `inv_` or `pay_`.'),
});

interface PostOptions {
  /** Details that are not in the summary. */
  description?: string;
  /** Default: 200. */
  status?: number;
  gives: z.ZodType;
  takes?: z.ZodType;
  required?: boolean;
  params?: z.ZodObject;
}

/** A POST, which requires an Idempotency-Key. */
export function post(summary: string, options: PostOptions): Operation {
  const { description, status = 200, gives, takes, required = false, params } = options;
  return {
    summary,
    ...(description && { description }),
    request: {
      headers: keyHeader,
      ...(params && { params }),
      ...(takes && { body: { required, content: json(takes) } }),
    },
    responses: {
      [status]: { description: summary, content: json(gives), headers: replayHeader },
      ...Object.fromEntries(
        Object.entries({ ...failures, ...postFailures }).map(([code, failure]) => [
          code,
          REPLAYED.includes(Number(code)) ? { ...failure, headers: replayHeader } : failure,
        ]),
      ),
    },
  };
}

type ChangeOptions = Required<Pick<PostOptions, 'gives' | 'takes' | 'params'>>;

/** A PATCH, which is safe to repeat without a key. */
export function change(summary: string, { gives, takes, params }: ChangeOptions): Operation {
  const { 408: late, 409: conflict, 413: large, 415: media } = postFailures;
  return {
    summary,
    request: { params, body: { required: true, content: json(takes) } },
    responses: {
      200: { description: summary, content: json(gives) },
      ...failures,
      408: late,
      409: conflict,
      413: large,
      415: media,
    },
  };
}

export const remove = (summary: string, params: z.ZodObject): Operation => ({
  summary,
  request: { params },
  responses: { 204: { description: summary }, ...failures },
});

export function get(summary: string, gives: z.ZodType, request: Operation['request']): Operation {
  return {
    summary,
    ...(request && { request }),
    responses: { 200: { description: summary, content: json(gives) }, ...failures },
  };
}

interface FileOptions {
  description: string;
  contentType: string;
  example: string;
  query: z.ZodObject;
}

/** A GET that returns a file. */
export const file = (
  summary: string,
  { description, contentType, example, query }: FileOptions,
): Operation => ({
  summary,
  description,
  request: { query },
  responses: {
    200: {
      description: summary,
      content: { [contentType]: { schema: z.string(), example } },
      headers: {
        'Content-Disposition': {
          description: 'The suggested name of the file.',
          required: true,
          schema: { type: 'string' },
        },
      },
    },
    ...failures,
  },
});

const pageParameters = {
  limit: z.coerce.number().int().min(1).max(100).optional().describe('Default 20.'),
  starting_after: z.string().optional().describe('Returns the page after this id.'),
  ending_before: z.string().optional().describe('Returns the page before this id.'),
};
export const controlParameters = {
  cost_center: z.string().optional().describe('Only of this cost center.'),
  our_number: z.string().optional().describe('Only with this number.'),
  contractor_reference: z.string().optional().describe('Only with this reference of yours.'),
  'created[gte]': z
    .string()
    .optional()
    .describe('Inclusive. A timestamp with an offset, or a date, which means midnight UTC.'),
  'created[lte]': z.string().optional().describe('Inclusive. Same formats as `created[gte]`.'),
};

/** A list endpoint with pagination parameters and `parameters`. */
export const pagesOf = (
  summary: string,
  item: z.ZodType,
  parameters: z.ZodRawShape,
  params?: z.ZodObject,
): Operation =>
  get(summary, z.object({ data: z.array(item), has_more: z.boolean() }), {
    ...(params && { params }),
    query: z.object({ ...pageParameters, ...parameters }),
  });

/** A list endpoint for resources with control fields: filters by these fields and by `parameters`. */
export const list = (summary: string, item: z.ZodType, parameters: z.ZodRawShape): Operation =>
  pagesOf(summary, item, { ...controlParameters, ...parameters });

/** Adds the tag to each operation. */
export const tagged = <O extends Readonly<Record<string, Operation>>>(tag: string, operations: O): O =>
  // Object.fromEntries loses the names of the members.
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [name, { ...operation, tags: [tag] }]),
  ) as O;
