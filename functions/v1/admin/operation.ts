// An operation of the admin API: its path, scopes and schemas, and the read or write that it runs. Endpoints and their OpenAPI
// descriptions are generated from it.
import type { z } from 'zod';
import { entityTagOf } from '../../../shared/administration/entity-tag.ts';
import type { Paging } from '../../../shared/administration/statements.ts';
import type { Context, EndpointResponse } from '../../../shared/platform/access/context.ts';
import { readOrigin } from '../../../shared/platform/access/require-token.ts';
import type { Scope } from '../../../shared/platform/access/scopes.ts';
import { type EntityTags, entityTagsOf, matchesAny } from '../../../shared/platform/entity-tags.ts';
import { ApiError, type ErrorDetail, invalid, issueDetails } from '../../../shared/platform/errors.ts';
import {
  type Endpoint,
  type EndpointRequest,
  endpoint,
  type PathParameters,
} from '../../../shared/platform/http/endpoint.ts';
import { idempotencyKeyOf } from '../../../shared/platform/idempotency/key.ts';
import { readFilters } from '../../../shared/platform/lists/filters.ts';
import { metaOf } from '../../../shared/platform/request/error-formats.ts';
import { pageBody, readPageNumbers, search as searchFilter } from '../../../shared/records/list.ts';
import {
  clientVariant,
  idempotencyKeyOwnerOf,
  requestedVariant,
} from '../../../shared/records/variants/requested-variant.ts';
import { variants } from '../../../shared/records/variants/variants.ts';

/** The input of an operation. */
interface AdminRequest<Path extends string, Q, B> {
  params: PathParameters<Path>;
  query: Q;
  /** The page of a list. */
  paging: Paging;
  body: B;
  /** The versions of `If-Match` as JSON: an array, or `*` for any. null without the header. */
  versions: string | null;
}

/** The result of an operation. */
export interface AdminResult {
  /** The record, as the API shows it. */
  record?: Record<string, unknown>;
  /** The version of the record, for its ETag. */
  version?: string;
  /** The change in one sentence, as in the audit trail. */
  summary?: string;
  /** Whether the record was created, for operations that create or update. */
  made?: boolean;
  records?: Record<string, unknown>[];
  /** The number of records of all pages. */
  total?: number;
  next_cursor?: string | null;
  has_more?: boolean;
}

export interface AdminOperation<
  Path extends string = string,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodObject = z.ZodObject,
> {
  method: Endpoint['method'];
  /** Below `/v1/admin`. */
  path: Path;
  /** The token and its client must both have one of these. */
  scopes: readonly Scope[];
  summary: string;
  description?: string;
  /** `page`: numbered pages, with `page`, `per_page`, `sort` and `search`. `log`: pages by cursor. Default: one record. */
  form?: 'record' | 'page' | 'log' | 'all';
  /** Fields by which a page can be sorted. */
  sorts?: typeof PAGE_SORTS | readonly ['created_at'];
  /** Whether a page can be searched. Default: true. */
  searchable?: boolean;
  query?: Q;
  body?: B;
  /** Schema of `data`, or of one record of a list; absent for 204. */
  data?: z.ZodObject;
  /** Default: 200, or 204 without `data`. If the result has `made`, the status is 201 if that is true and 200 if not. */
  status?: 200 | 201 | 202;
  /** Whether the record has an ETag. `demanded`: only `If-Match` counts, with the ETag of the resource that the path names. */
  versioned?: boolean | 'demanded';
  /** Members of `data` that are returned only once. */
  shownOnce?: readonly string[];
  /** Whether the request must have an `Idempotency-Key`. */
  keyRequired?: boolean;
  /** Whether a replay of the `Idempotency-Key` is executed again. */
  repeatable?: boolean;
  /** Whether the operation calls an external service before the database. */
  callsExternalService?: true;
  /** The database role. Default: `manage`. */
  role?: 'payments';
  /** Reads or writes. */
  run(request: AdminRequest<Path, z.output<Q>, z.output<B>>, context: Context): Promise<AdminResult>;
}

/** Infers the types of parameters and members. */
export const operation = <const Path extends string, Q extends z.ZodObject, B extends z.ZodObject>(
  it: AdminOperation<Path, Q, B>,
): AdminOperation<Path, Q, B> => it;

const MAX_BODY_BYTES = 256 * 1024;

export const PAGE_SORTS = ['created_at', 'name'] as const;

/** Creates the endpoint of an operation. */
export function adminEndpoint(it: AdminOperation): Endpoint {
  const { method, path, scopes, shownOnce, keyRequired, repeatable } = it;
  return endpoint({
    method,
    path: `/admin${path}`,
    scopes,
    maxBodyBytes: MAX_BODY_BYTES,
    administersAs: it.role ?? 'manage',
    ...(it.callsExternalService && { callsExternalService: true }),
    body: method === 'get' || method === 'delete' ? 'none' : it.body ? 'required' : 'optional',
    ...(method === 'post' && !repeatable && { idempotencyKeyOwner: idempotencyKeyOwnerOf }),
    ...(shownOnce && { shownOnce }),
    checkHeaders(headers) {
      readOrigin(headers);
      requestedVariant(headers);
      if (headers.has('x-silent')) throw invalid('header', 'X-Silent', 'is not supported by the admin API');
      const tags = entityTagsOf(headers, method === 'get' ? 'If-None-Match' : 'If-Match');
      if (method === 'put' && !it.versioned && tags !== undefined && tags !== '*') {
        throw new ApiError(
          'precondition_failed',
          'This resource has no ETag. Send the request without If-Match.',
        );
      }
      const key = method === 'post' ? idempotencyKeyOf(headers) : undefined;
      if (keyRequired && key === undefined) throw invalid('header', 'Idempotency-Key', 'is required');
    },
    handle: (request) => handle(it, request),
  });
}

async function handle(it: AdminOperation, request: EndpointRequest): Promise<EndpointResponse> {
  const { actor, headers, requestContext } = request;
  const variant = variants[requestedVariant(headers) ?? clientVariant(actor)];
  const { query, paging, page, perPage } = parseQuery(it, request, variant.defaultPerPage);
  const versions = entityTagsOf(headers, 'If-Match');
  const asked = {
    params: trimmed(request.params),
    query,
    paging,
    body: parseBody(it, request.json),
    versions: versions === undefined ? null : JSON.stringify(versionsIn(versions)),
  };
  const status = it.status ?? (it.data ? 200 : 204);
  const answer = await it.run(asked, request.context(status));
  const meta = metaOf(requestContext.requestId);
  const data = answer.records ?? [];
  if (it.form === 'page') {
    return { status, body: pageBody(variant, data, { total: answer.total ?? 0, page, perPage }, meta) };
  }
  if (it.form === 'log') {
    const { next_cursor, has_more } = answer;
    return { status, body: { data, meta: { ...meta, next_cursor, has_more } } };
  }
  if (it.form === 'all') return { status, body: { data, meta } };
  return recordAnswer(it, request, answer, status, meta);
}

/** The versions of entity tags, which also have a hash of what the response shows. */
const versionsIn = (tags: EntityTags): EntityTags =>
  tags === '*' ? tags : tags.map((tag) => tag.split('.')[0] ?? '');

/** Names in paths, which are found without the spaces around them. */
const trimmed = (params: EndpointRequest['params']): EndpointRequest['params'] =>
  Object.fromEntries(Object.entries<string>(params).map(([name, value]) => [name, value.trim()]));

function recordAnswer(
  { method, data, shownOnce = [] }: AdminOperation,
  { headers }: EndpointRequest,
  answer: AdminResult,
  status: number,
  meta: object,
): EndpointResponse {
  if (!data) return { status: 204 };
  const { version, record = {} } = answer;
  const etag = version === undefined ? undefined : { ETag: entityTagOf(version, record, shownOnce) };
  if (method === 'get' && etag && matchesAny(entityTagsOf(headers, 'If-None-Match'), etag.ETag)) {
    return { status: 304, headers: etag };
  }
  return {
    status: answer.made === undefined ? status : answer.made ? 201 : 200,
    body: {
      data: record,
      meta: { ...meta, ...(method !== 'get' && { summary: answer.summary }) },
    },
    ...(etag && { headers: etag }),
  };
}

/** Parses the members of a body. Throws `validation` with all errors. */
function parseBody(
  { body, data }: AdminOperation,
  json: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  if (!body) return {};
  const readOnly = Object.keys(data?.shape ?? {})
    .filter((name) => !Object.hasOwn(body.shape, name) && Object.hasOwn(json, name))
    .map((field) => ({ field, message: 'cannot be set' }));
  const result = body.safeParse(json);
  if (result.success && readOnly.length === 0) return result.data;
  const faults = result.success ? [] : issueDetails(result.error, 'body');
  const details = [...readOnly, ...faults.map(withPlace)];
  throw new ApiError('validation', 'Fix these fields.', { details });
}

/** Items of automations are named by their place, as in SQL: `actions[0]`. */
const withPlace = ({ field, message }: ErrorDetail): ErrorDetail => ({
  field: field.replace(/^(actions|conditions)\.(\d+)/, '$1[$2]'),
  message,
});

function parseQuery(
  { form, sorts = PAGE_SORTS, searchable = true, query: schema }: AdminOperation,
  request: EndpointRequest,
  defaultPerPage: number,
): { query: Record<string, unknown>; paging: Paging; page: number; perPage: number } {
  const own = Object.keys(schema?.shape ?? {});
  const params = request.query.take([
    ...own,
    ...(form === 'page' ? ['page', 'per_page', 'sort', ...(searchable ? ['search'] : [])] : []),
  ]);
  const faults: ErrorDetail[] = [];
  const { page, perPage } = readPageNumbers(
    params,
    defaultPerPage,
    (field, message) => void faults.push({ field, message }),
  );
  const sort = params.get('sort') || '-created_at';
  const known = sorts.flatMap((field) => [field, `-${field}`]);
  if (!known.includes(sort)) faults.push({ field: 'sort', message: `must be one of ${known.join(', ')}` });
  const search = params.get('search') || undefined;
  faults.push(...readFilters({ search: searchFilter }, () => search).faults);
  const sent = Object.fromEntries([...params].filter(([name, value]) => own.includes(name) && value !== ''));
  const result = schema?.safeParse(sent);
  if (result && !result.success) faults.push(...issueDetails(result.error, 'query'));
  if (faults.length > 0) throw new ApiError('validation', 'Fix these query parameters.', { details: faults });
  const paging = {
    limit: perPage,
    offset: (page - 1) * perPage,
    sort: sort.replace(/^-/, ''),
    descending: sort.startsWith('-'),
    search,
  };
  return { query: result?.data ?? {}, paging, page, perPage };
}
