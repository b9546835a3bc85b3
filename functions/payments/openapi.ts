// What the descriptions of payments share: problems, keys, pages.
import { z } from 'zod';
import {
  BODY_LIMIT,
  challengeHeaders,
  effectMember,
  json,
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
    code: z.string().describe('What went wrong, for programs.'),
    request_id: z.string(),
    errors: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .max(MAX_DETAILS)
      .optional(),
    details_truncated: z.literal(true).optional().describe('There are more errors than these.'),
    effect: effectMember,
    retryable: z
      .boolean()
      .optional()
      .describe(
        'Of provider_error: whether the same request may yet succeed, with the same Idempotency-Key.',
      ),
  })
  .meta({ id: 'Problem' });

export const fails = (description: string, headers?: ResponseHeaders) => ({
  description,
  content: { 'application/problem+json': { schema: problem } },
  ...(headers && { headers: { ...headers } }),
});

const failures = {
  400: fails('Malformed JSON, or a required header is missing.'),
  401: fails('The key or its signature is missing, invalid or expired.', challengeHeaders),
  403: fails('The key lacks the scope.', challengeHeaders),
  404: fails('Unknown, or of another tenant.'),
  422: fails('Invalid fields or parameters; a parameter that is given twice is.'),
  429: fails("The key's hourly limit is reached.", retryAfterHeader),
  500: fails('Internal error; retry with backoff.'),
  503: fails(
    'Something that is needed cannot be reached; a POST is retried with the same key.',
    retryAfterHeader,
  ),
};
const failuresOfPosts = {
  409: fails(
    'The state of the resource does not allow it, or the Idempotency-Key is in use or was used otherwise.',
  ),
  408: fails('The body did not come in time.'),
  413: fails(`The body exceeds ${BODY_LIMIT}.`),
  415: fails('The body is not JSON.'),
  501: fails('The region, currency or document is not live.'),
  502: fails('The provider refused, or failed: `retryable` says which.'),
};

/** Whatever the work of a POST ended with is answered again. */
const replayHeader = {
  'Idempotent-Replay': {
    description:
      '`true` where an earlier request with this key was answered so, and this is that answer again.',
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
    .describe('The same request with the same key is done once; kept for 24 hours.'),
});

/** Parameters of paths. */
export const idParameter = z.object({
  id: z.string().describe('Such as `inv_` or `pay_` and what follows.'),
});

interface PostOptions {
  /** What the summary leaves open. */
  description?: string;
  status: number;
  gives: z.ZodType;
  takes?: z.ZodType;
  required?: boolean;
  params?: z.ZodObject;
}

/** A POST with an Idempotency-Key. */
export function post(summary: string, options: PostOptions): Operation {
  const { description, status, gives, takes, required = false, params } = options;
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
        Object.entries({ ...failures, ...failuresOfPosts }).map(([code, failure]) => [
          code,
          REPLAYED.includes(Number(code)) ? { ...failure, headers: replayHeader } : failure,
        ]),
      ),
    },
  };
}

interface ChangeOptions {
  gives: z.ZodType;
  takes: z.ZodType;
  params: z.ZodObject;
}

/** A PATCH, which may be sent again as it is. */
export function change(summary: string, { gives, takes, params }: ChangeOptions): Operation {
  const { 408: late, 409: conflict, 413: large, 415: media } = failuresOfPosts;
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

const pageParameters = {
  limit: z.coerce.number().int().min(1).max(100).optional().describe('Default 20.'),
  starting_after: z.string().optional().describe('The page after this id.'),
  ending_before: z.string().optional().describe('The page before this id.'),
};
const controlParameters = {
  cost_center: z.string().optional(),
  our_number: z.string().optional(),
  contractor_reference: z.string().optional(),
  'created[gte]': z.string().optional().describe('A timestamp, or a date for its midnight UTC.'),
  'created[lte]': z.string().optional(),
};

/** A list with the parameters of pages, and these of its own. */
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

/** A list with the parameters that all resources with control fields have, and these of its own. */
export const list = (summary: string, item: z.ZodType, parameters: z.ZodRawShape): Operation =>
  pagesOf(summary, item, { ...controlParameters, ...parameters });

/** Operations of one group. */
export const tagged = <O extends Readonly<Record<string, Operation>>>(tag: string, operations: O): O =>
  // Of the same names, each with what it had.
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [name, { ...operation, tags: [tag] }]),
  ) as O;
