// What the descriptions of the records interface share: envelopes, errors, parameters.
import { z } from 'zod';
import { MAX_DETAILS } from '../../shared/platform/http/error-formats.ts';
import {
  BODY_LIMIT,
  challengeHeaders,
  json,
  type Operation,
  rateLimitHeaders,
  retryAfterHeader,
} from '../../shared/platform/http/openapi.ts';
import { id } from '../../shared/records/fields.ts';

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

const error = z
  .object({
    error: z.object({
      code: z.string().describe('What went wrong, for programs.'),
      message: z.string(),
      details: z.array(z.object({ field: z.string(), message: z.string() })).max(MAX_DETAILS),
      details_truncated: z.literal(true).optional().describe('There are more details than these.'),
      existing_id: id.optional().describe('The lead that has the e-mail already.'),
    }),
    meta,
  })
  .meta({ id: 'Error' });

const fails = (description: string, headers: object = {}) => ({
  description,
  content: json(error),
  headers: { ...rateLimitHeaders, ...headers },
});

const failures = {
  400: fails(
    'A field, parameter or header is missing or malformed, or a parameter is given twice; `details` names each.',
  ),
  401: fails('No token, or one that is not good, expired, or of a revoked client.', challengeHeaders),
  403: fails('The token lacks the scope.', challengeHeaders),
  404: fails('There is no such record in this workspace.'),
  409: fails('A conflict with what is there.'),
  408: fails('The body did not come in time.'),
  413: fails(`The body is larger than ${BODY_LIMIT}.`),
  415: fails('The body is not JSON.'),
  422: fails('Well-formed, but it cannot be done with these values.'),
  429: fails("The plan's requests of this minute are used up.", retryAfterHeader),
  500: fails('An error of the service.'),
  503: fails('The service cannot reach its database.', retryAfterHeader),
};
type Failure = keyof typeof failures;
const ALWAYS: Failure[] = [400, 401, 403, 429, 500, 503];
const WITH_BODY: Failure[] = [408, 413, 415];

const variantHeader = z.object({
  'X-Api-Variant': z
    .enum(['a', 'b', 'c'])
    .optional()
    .describe("Naming of this request; the client's own when absent."),
});
const writeHeaders = z.object({
  ...variantHeader.shape,
  'X-Origin': z
    .string()
    .max(64)
    .optional()
    .describe('Marks what the request causes: events carry it as `origin`.'),
});

export interface Description {
  summary: string;
  tag: string;
  /** Parameters of the path. */
  params?: readonly string[];
  query?: z.ZodObject;
  body?: z.ZodType;
  bodyOptional?: boolean;
  status?: number;
  /** What is under `data`; absent for 204. */
  data?: z.ZodType;
  /** How a list tells its page. */
  list?: 'meta' | 'pagination' | 'none';
  writes?: boolean;
  failures?: Failure[];
}

const pageOf = { meta: { meta: listMeta }, pagination: { pagination }, none: {}, one: { meta } };

/** The description of an endpoint. */
export function describe(description: Description): Operation {
  const { summary, tag, params, query, body, data, list, writes = false } = description;
  const { status = data ? 200 : 204 } = description;
  // What shows a record after writing takes a body, needed or not.
  const takesBody = body !== undefined || (writes && data !== undefined);
  const expected = [...ALWAYS, ...(takesBody ? WITH_BODY : []), ...(description.failures ?? [])];
  const answer = data && {
    content: json(z.object({ data, ...pageOf[list ?? 'one'] })),
  };
  return {
    summary,
    tags: [tag],
    security: [{ token: [] }],
    request: {
      headers: writes ? writeHeaders : variantHeader,
      ...(params && {
        params: z.object(
          Object.fromEntries(params.map((name) => [name, name === 'delivery_id' ? z.string() : id])),
        ),
      }),
      ...(query && { query }),
      ...(body && { body: { content: json(body), required: !description.bodyOptional } }),
    },
    responses: {
      [status]: { description: 'Done.', headers: rateLimitHeaders, ...answer },
      ...Object.fromEntries(expected.sort((a, b) => a - b).map((code) => [code, failures[code]])),
    },
  };
}

const moment = z
  .string()
  .describe("A timestamp with an offset, or a date: its midnight in the tenant's time zone.");

/** Parameters of every list. */
export const paging = (sorts: string[], perPage = 25) => ({
  page: z.coerce.number().int().min(1).optional().describe('From 1.').meta({ type: 'integer' }),
  per_page: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe(`${perPage} when absent.`)
    .meta({ type: 'integer' }),
  sort: z.enum(sorts.flatMap((field) => [field, `-${field}`])).optional(),
});
export const created = { created_after: moment.optional(), created_before: moment.optional() };
export const updated = { ...created, updated_after: moment.optional() };
export const idFilter = id.optional();
export const searchFilter = z.string().max(200).optional().describe('Without case and accents.');
