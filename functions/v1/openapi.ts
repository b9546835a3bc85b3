// What the descriptions of the records interface share: envelopes, errors, parameters.
import { z } from 'zod';
import type { NamingVariant } from '../../shared/platform/access/context.ts';
import {
  BODY_LIMIT,
  challengeHeaders,
  effectMember,
  json,
  type Operation,
  optionalHeaders,
  type ResponseHeaders,
  rateLimitHeaders,
  retryAfterHeader,
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
    description: '`total` is exact up to 10000; beyond it an estimate, until the last page.',
  });
const pagination = z
  .object({ page: z.int(), per_page: z.int(), total: z.int(), total_pages: z.int() })
  .meta({ id: 'Pagination' });

const feedMeta = z
  .object({ ...basicMeta, next_cursor: z.string(), has_more: z.boolean() })
  .meta({ id: 'FeedMeta', description: '`next_cursor` is always given: go on after it.' });

export const errorMembers = {
  code: z.string().describe('What went wrong, for programs.'),
  message: z.string(),
  details: z.array(z.object({ field: z.string(), message: z.string() })).max(MAX_DETAILS),
  details_truncated: z.literal(true).optional().describe('There are more details than these.'),
  effect: effectMember,
  existing_id: id.optional().describe('The record that has the e-mail or the external id already.'),
  merged_into: id.optional().describe('The lead that this one became a part of.'),
  current: z
    .looseObject({})
    .optional()
    .describe('The record as it is, where `If-Match` named another version.'),
};

const error = z
  .object({
    error: z.object({
      ...errorMembers,
      results: z
        .array(z.object({ status: z.int(), error: z.object(errorMembers).optional() }))
        .optional()
        .describe('Of an atomic batch: each operation with its error, or 424.'),
    }),
    meta,
  })
  .meta({ id: 'Error' });

const fails = (description: string, headers: ResponseHeaders = {}) => ({
  description,
  content: json(error),
  headers: { ...rateLimitHeaders, ...headers },
});

/** Of a request whose tenant may not be known yet. */
export const failsEarly = (description: string, headers: ResponseHeaders = {}) =>
  fails(description, { ...optionalHeaders(rateLimitHeaders), ...headers });

const conditionHeader = (name: 'If-Match' | 'If-None-Match') => ({
  [name]: z
    .string()
    .optional()
    .describe(
      name === 'If-Match'
        ? 'What `ETag` said of the record: it is changed where nobody changed it since, else 412 shows it as it is.'
        : 'What `ETag` said of the record: 304 where it still says so.',
    ),
});
const onlyNewHeader = {
  'If-None-Match': z.enum(['*']).optional().describe('Only makes a record: 412 where there is one.'),
};
const entityTagHeaders: ResponseHeaders = {
  ETag: {
    description: 'Version of the record, in quotes, for `If-Match` and `If-None-Match`.',
    required: true,
    schema: { type: 'string' },
  },
  Vary: {
    description: 'What the answer depends on beside its address.',
    required: true,
    schema: { type: 'string' },
  },
};

const failures = {
  400: fails(
    'A field, parameter or header is missing or malformed, or a parameter is given twice; `details` names each.',
  ),
  401: failsEarly('No token, or one that is not good, expired, or of a revoked client.', challengeHeaders),
  403: fails('The token lacks the scope.', challengeHeaders),
  404: fails('There is no such record in this workspace.'),
  409: fails('A conflict with what is there.'),
  410: fails('Events after this cursor are no longer kept.'),
  408: failsEarly('The body did not come in time.'),
  412: fails('The record has another version than those that `If-Match` names.', entityTagHeaders),
  413: failsEarly(`The body is larger than ${BODY_LIMIT}.`),
  415: fails('The body is not JSON.'),
  422: fails('Well-formed, but it cannot be done with these values.'),
  429: fails("The plan's requests of this minute are used up.", retryAfterHeader),
  500: failsEarly('An error of the service.'),
  503: failsEarly('The service cannot reach its database.', retryAfterHeader),
};
type Failure = keyof typeof failures;
const ALWAYS: Failure[] = [400, 401, 403, 429, 500, 503];
const WITH_BODY: Failure[] = [408, 413, 415];

const variantHeader = (variant: NamingVariant) => ({
  'X-Api-Variant': z
    .enum([variant])
    .optional()
    .describe(`This naming; not needed where it is the client's own. Others have documents of their own.`),
});
const originHeader = {
  'X-Origin': z
    .string()
    .max(64)
    .optional()
    .describe('Marks what the request causes: events carry it as `origin`. Visible ASCII and spaces.'),
  'X-Silent': z
    .enum(['true', 'false'])
    .optional()
    .describe(
      'true, with the scope `admin`: no webhooks, points, automations and mails follow. The feed says so.',
    ),
};

export interface Description {
  summary: string;
  /** What the summary leaves open. */
  description?: string;
  tag: string;
  /** Parameters of the path. */
  params?: readonly string[];
  query?: z.ZodObject;
  body?: z.ZodType;
  bodyOptional?: boolean;
  status?: number;
  /** What is under `data`; absent for 204. */
  data?: z.ZodType;
  /** How a list tells its page; `plain` is in no envelope. */
  list?: 'meta' | 'pagination' | 'feed' | 'none' | 'one' | 'plain';
  writes?: boolean;
  /** The status where it made what it shows, of what otherwise changes it. */
  madeStatus?: 201;
  /** Whether it shows a record with its entity tag, whether its request can be made conditional by that, or the latter alone. */
  entityTag?: 'shown' | 'conditional' | 'demanded';
  failures?: Failure[];
}

const pageOf: Record<Exclude<Description['list'], 'plain' | undefined>, z.ZodRawShape> = {
  meta: { meta: listMeta },
  pagination: { pagination },
  feed: { meta: feedMeta },
  none: {},
  one: { meta },
};

/** How endpoints of a variant are described. */
export type Describe = (description: Description) => Operation;

export const describeIn =
  (variant: NamingVariant): Describe =>
  (description) =>
    describe(variant, description);

function describe(variant: NamingVariant, description: Description): Operation {
  const { summary, tag, params, query, body, data, list, entityTag, writes = false } = description;
  const { status = data ? 200 : 204 } = description;
  const condition = entityTag && entityTag !== 'shown' && (writes ? 'If-Match' : 'If-None-Match');
  const { madeStatus } = description;
  // What shows a record after writing takes a body, needed or not.
  const takesBody = body !== undefined || (writes && data !== undefined);
  const expected = [...ALWAYS, ...(takesBody ? WITH_BODY : []), ...(description.failures ?? [])];
  if (condition === 'If-Match') expected.push(412);
  const answer = data && {
    content: json(list === 'plain' ? data : z.object({ data, ...pageOf[list ?? 'one'] })),
  };
  return {
    summary,
    ...(description.description && { description: description.description }),
    tags: [tag],
    request: {
      headers: z.object({
        ...variantHeader(variant),
        ...(writes && originHeader),
        ...(condition && conditionHeader(condition)),
        ...(madeStatus && onlyNewHeader),
      }),
      ...(params && {
        params: z.object(Object.fromEntries(params.map((name) => [name, otherParams[name] ?? id]))),
      }),
      ...(query && { query }),
      ...(body && { body: { content: json(body), required: !description.bodyOptional } }),
    },
    responses: {
      [status]: {
        description: summary,
        headers: { ...rateLimitHeaders, ...(entityTag && entityTag !== 'demanded' && entityTagHeaders) },
        ...answer,
      },
      ...(madeStatus && {
        [madeStatus]: {
          description: `${summary}: it was made.`,
          headers: { ...rateLimitHeaders, ...entityTagHeaders },
          ...answer,
        },
      }),
      ...(condition === 'If-None-Match' && {
        304: { description: 'The caller has it.', headers: { ...rateLimitHeaders, ...entityTagHeaders } },
      }),
      ...Object.fromEntries(expected.sort((a, b) => a - b).map((code) => [code, failures[code]])),
    },
  };
}

/** Parameters of paths that are no UUIDs. */
const otherParams: Readonly<Record<string, z.ZodType>> = {
  delivery_id: z.string().max(64),
  external_id: z.string().min(1).max(255).describe('What your client calls the record, percent-encoded.'),
};

/** How lists of a variant tell their page. */
export const listOf = (variant: NamingVariant) => (variants[variant].listsInMeta ? 'meta' : 'pagination');

export const instantOrDaySchema = z
  .string()
  .describe("A timestamp with an offset, or a date: its midnight in the tenant's time zone.");

/** Parameters of every list. */
export const paging = (variant: NamingVariant, sorts: string[]) => ({
  page: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('From 1.')
    .meta({ type: 'integer' }),
  per_page: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe(`${variants[variant].defaultPerPage} when absent.`)
    .meta({ type: 'integer' }),
  sort: z
    .enum(sorts.flatMap((field) => [field, `-${field}`]))
    .optional()
    .describe(`- before it for descending; \`-${sorts[0]}\` when absent.`),
});
export const created = {
  created_after: instantOrDaySchema.optional(),
  created_before: instantOrDaySchema.optional(),
};
export const updated = { ...created, updated_after: instantOrDaySchema.optional() };
export const idFilter = id.optional();
export const searchFilter = z.string().max(200).optional().describe('Without case and accents.');
/** Filters by names that differ between variants. */
export const ownerFilter = (variant: NamingVariant) => ({
  [variant === 'a' ? 'owner_id' : 'assigned_to']: idFilter,
});
export const dealFilter = (variant: NamingVariant) => ({
  [variant === 'c' ? 'opportunity_id' : 'deal_id']: idFilter,
});

/** The filter by what the client calls a record. */
export const externalIdFilter = {
  external_id: z.string().max(255).optional().describe('What your client calls it.'),
};

/** What GET and PUT of a record by external id say. `body` is that of a change: of a new record more is required. */
export const externalOperations = (
  describe: Describe,
  {
    tag,
    one,
    body,
    data,
    shown,
  }: { tag: string; one: string; body: z.ZodType; data: z.ZodType; shown: z.ZodType },
) => ({
  get: describe({
    summary: `Get ${one} by its external id`,
    entityTag: 'conditional',
    tag,
    params: ['external_id'],
    data: shown,
    failures: [404],
  }),
  put: describe({
    summary: `Make or change ${one} by its external id`,
    description:
      'Made (201) where your client calls none so, with a body as for POST; else changed, with one as for PATCH. Once, however many ask for it at the same time.',
    entityTag: 'conditional',
    tag,
    params: ['external_id'],
    body,
    data,
    madeStatus: 201,
    writes: true,
    // An address that ends before the id.
    failures: [404, 409, 422],
  }),
});
