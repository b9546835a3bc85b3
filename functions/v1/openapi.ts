// Shared parts of the OpenAPI descriptions of records: envelopes, errors, parameters.
import { z } from 'zod';
import type { NamingVariant } from '../../shared/platform/access/context.ts';
import type { Endpoint, Endpoints } from '../../shared/platform/http/endpoint.ts';
import {
  BODY_LIMIT,
  challengeHeaders,
  effectMember,
  json,
  movedDescription,
  movedHeaders,
  movedMember,
  type Operation,
  type OperationsOf,
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

const conditionHeader = (name: 'If-Match' | 'If-None-Match') => ({
  [name]: z
    .string()
    .optional()
    .describe(
      name === 'If-Match'
        ? 'The `ETag` of the record. If the record has changed since then, the request fails with 412 and the current record.'
        : 'The `ETag` of the record. Returns 304 if the record has not changed.',
    ),
});
const onlyNewHeader = {
  'If-None-Match': z
    .enum(['*'])
    .optional()
    .describe('Creates the record only if it does not exist. Otherwise the request fails with 412.'),
};
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
type Failure = keyof typeof failures;
const ALWAYS: Failure[] = [400, 401, 403, 421, 429, 500, 503];
const WITH_BODY: Failure[] = [408, 413, 415];

const variantHeader = (variant: NamingVariant) => ({
  'X-Api-Variant': z
    .enum([variant])
    .optional()
    .describe(
      `Selects this naming variant. Not needed if it is the client's default. The other variants have their own documents.`,
    ),
});
const originHeader = {
  'X-Origin': z
    .string()
    .max(64)
    .optional()
    .describe(
      'Copied to the `origin` of the events that the request causes. Visible ASCII characters and spaces.',
    ),
  'X-Silent': z
    .enum(['true', 'false'])
    .optional()
    .describe(
      'If true, the request causes no webhooks, points, automations or emails. The feed marks its events as `silent`. ' +
        'Requires the scope `admin`.',
    ),
};

const onBehalfOfHeader = {
  'X-On-Behalf-Of': z
    .string()
    .optional()
    .describe(
      'The person that the program acts for. The audit trail shows its first 255 characters; it is not verified.',
    ),
};

/** What the description of an endpoint adds to the endpoint. */
export interface Description {
  summary: string;
  /** Details that are not in the summary. */
  description?: string;
  tag: string;
  /** Schemas of the path parameters. Default: ids, or those of `otherParams`. */
  params?: z.ZodRawShape;
  query?: z.ZodObject;
  body?: z.ZodType;
  status?: number;
  /** Schema of `data`; absent for 204. */
  data?: z.ZodType;
  /** The envelope of the response; `plain` has none. Default: that of a list if the query has pages, else that of one record. */
  list?: 'meta' | 'pagination' | 'feed' | 'log' | 'none' | 'one' | 'act' | 'plain' | undefined;
  /** Status if the request creates the record, for operations that create or update. */
  createdStatus?: 201;
  /** `shown`: the response has an ETag. `conditional`: the request also accepts a precondition. `demanded`: it only accepts one. */
  entityTag?: 'shown' | 'conditional' | 'demanded';
  /** Besides those of all endpoints, and 404 for a path with parameters. */
  failures?: Failure[];
}

/** A description without its tag, which it shares with the others of its file. */
export type Untagged = Omit<Description, 'tag'>;

/** One description for each endpoint of a file. */
export type DescriptionsOf<E extends Endpoints> = Readonly<Record<keyof E, Description>>;

/** Descriptions with the same tag. */
export const tagged = <Name extends string>(
  tag: string,
  descriptions: Readonly<Record<Name, Untagged>>,
): Record<Name, Description> => {
  const all = Object.entries<Untagged>(descriptions).map(([name, it]) => [name, { ...it, tag }]);
  return Object.fromEntries(all);
};

const pageOf: Record<Exclude<Description['list'], 'plain' | undefined>, z.ZodRawShape> = {
  meta: { meta: listMeta },
  pagination: { pagination },
  feed: { meta: feedMeta },
  log: { meta: logMeta },
  none: {},
  one: { meta },
  act: { meta: actMeta },
};

/** The OpenAPI descriptions of endpoints in a variant, by name. */
export const describeAll = <E extends Endpoints>(
  variant: NamingVariant,
  endpoints: E,
  descriptions: DescriptionsOf<E>,
): OperationsOf<E> =>
  Object.fromEntries(
    // The compiler does not know that the entries have the names of the endpoints.
    Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => [
      name,
      describe(variant, endpoint, descriptions[name as keyof E]),
    ]),
  ) as OperationsOf<E>;

function describe(variant: NamingVariant, endpoint: Endpoint, description: Description): Operation {
  const { summary, tag, query, body, data, entityTag, createdStatus } = description;
  const { params = parametersIn(endpoint.path), status = data ? 200 : 204 } = description;
  const { list = query && 'page' in query.shape ? listOf(variant) : 'one' } = description;
  const writes = endpoint.method !== 'get';
  // The admin API is never silent.
  const administers = endpoint.administersAs !== undefined;
  const hasParams = Object.keys(params).length > 0;
  const condition = entityTag && entityTag !== 'shown' && (writes ? 'If-Match' : 'If-None-Match');
  // A write that returns a record accepts a body, required or not.
  const takesBody = body !== undefined || (writes && data !== undefined);
  const expected = [...ALWAYS, ...(takesBody ? WITH_BODY : []), ...(description.failures ?? [])];
  if (hasParams) expected.push(404);
  if (condition === 'If-Match') expected.push(412);
  const answer = data && {
    content: json(list === 'plain' ? data : z.object({ data, ...pageOf[list] })),
  };
  return {
    summary,
    ...(description.description && { description: description.description }),
    tags: [tag],
    request: {
      headers: z.object({
        ...variantHeader(variant),
        ...(writes && (administers ? { 'X-Origin': originHeader['X-Origin'] } : originHeader)),
        ...(condition && conditionHeader(condition)),
        ...(createdStatus && !administers && onlyNewHeader),
        ...(writes && administers && onBehalfOfHeader),
      }),
      ...(hasParams && { params: z.object(params) }),
      ...(query && { query: list === 'feed' ? query : withEmptyValues(query) }),
      ...(body && { body: { content: json(body), required: endpoint.body === 'required' } }),
    },
    responses: {
      [status]: {
        description: summary,
        headers: { ...rateLimitHeaders, ...(entityTag && entityTag !== 'demanded' && entityTagHeaders) },
        ...answer,
      },
      ...(createdStatus && {
        [createdStatus]: {
          description: `${summary}: created.`,
          headers: { ...rateLimitHeaders, ...entityTagHeaders },
          ...answer,
        },
      }),
      ...(condition === 'If-None-Match' && {
        304: {
          description: 'The record has not changed.',
          headers: { ...rateLimitHeaders, ...entityTagHeaders },
        },
      }),
      ...Object.fromEntries(expected.sort((a, b) => a - b).map((code) => [code, failures[code]])),
    },
  };
}

/** An empty value counts as absent. */
const withEmptyValues = (query: z.ZodObject): z.ZodObject =>
  z.object(
    Object.fromEntries(
      Object.entries(query.shape).map(([name, schema]) => [
        name,
        (schema as z.ZodType).meta({ param: { allowEmptyValue: true } }),
      ]),
    ),
  );

/** Path parameters that are not UUIDs. */
const otherParams: Readonly<Record<string, z.ZodType>> = {
  delivery_id: z.string().max(64),
  external_id: z.string().min(1).max(255).describe("Your client's id for the record, percent-encoded."),
};

const parametersIn = (path: string): z.ZodRawShape =>
  Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, otherParams[name] ?? id]));

/** The envelope of lists in a variant. */
export const listOf = (variant: NamingVariant) => (variants[variant].listsInMeta ? 'meta' : 'pagination');

export const instantOrDaySchema = z
  .string()
  .describe("A timestamp with an offset, or a date, which means midnight in the tenant's time zone.");

/** Parameters of a list with a fixed order. */
export const pages = (variant: NamingVariant) => ({
  page: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('Starts at 1.')
    .meta({ type: 'integer', minimum: 1, maximum: 1_000_000, default: 1 }),
  per_page: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .optional()
    .meta({ type: 'integer', minimum: 1, maximum: 100, default: variants[variant].defaultPerPage }),
});

/** Parameters of other lists. */
export const paging = (variant: NamingVariant, sorts: string[]) => ({
  ...pages(variant),
  sort: z
    .enum(sorts.flatMap((field) => [field, `-${field}`]))
    .optional()
    .describe(`A leading \`-\` sorts in descending order. Default: \`-${sorts[0]}\`.`),
});
export const created = {
  created_after: instantOrDaySchema.optional(),
  created_before: instantOrDaySchema.optional(),
};
export const updated = { ...created, updated_after: instantOrDaySchema.optional() };
export const idFilter = id.optional();
export const searchFilter = z.string().max(200).optional().describe('Ignores case and accents.');
/** A filter whose name depends on the variant. */
export const ownerFilter = (variant: NamingVariant) => ({
  [variant === 'a' ? 'owner_id' : 'assigned_to']: idFilter,
});
export const dealFilter = (variant: NamingVariant) => ({
  [variant === 'c' ? 'opportunity_id' : 'deal_id']: idFilter,
});

/** The filter by external id. */
export const externalIdFilter = {
  external_id: z.string().max(255).optional().describe("Your client's id for the record."),
};

/** GET and PUT of a record by external id. `body` covers both creating and updating. */
export const externalDescriptions = ({
  one,
  body,
  data,
  shown,
}: {
  one: string;
  body: z.ZodType;
  data: z.ZodType;
  shown: z.ZodType;
}): Record<'get' | 'put', Untagged> => ({
  get: {
    summary: `Get ${one} by its external id`,
    entityTag: 'conditional',
    data: shown,
  },
  put: {
    summary: `Create or update ${one} by its external id`,
    description:
      'Creates the record (201) with a body as for POST if the external id is new, otherwise updates it with a body as for PATCH. ' +
      'Concurrent requests create it only once.',
    entityTag: 'conditional',
    body,
    data,
    createdStatus: 201,
    failures: [409, 422],
  },
});
