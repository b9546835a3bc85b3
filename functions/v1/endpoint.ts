// What every endpoint of records does: the variant, the envelope of answers, and the names in errors.
import { originOf } from '../../shared/platform/auth/require-token.ts';
import type { Actor } from '../../shared/platform/context.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import type { Answer, CallerRequest, Endpoint } from '../../shared/platform/http/app.ts';
import { metaOf } from '../../shared/platform/http/error-responses.ts';
import { isUuid } from '../../shared/platform/uuid.ts';
import {
  type List,
  type ListQuery,
  type ListResult,
  parseListQuery,
  readList,
} from '../../shared/records/list.ts';
import { nameFor, type Row } from '../../shared/records/variants/naming.ts';
import { type Resource, show, type Variant, variants } from '../../shared/records/variants/variant.ts';

export interface RecordsRequest extends CallerRequest {
  variant: Variant;
}

export type RecordsEndpoint = Omit<Endpoint, 'handle' | 'checkHeaders' | 'successStatus'> & {
  /** The resource that bodies and errors are about. */
  resource: Resource;
  successStatus: number | ((variant: Variant) => number);
  run(request: RecordsRequest): Promise<Answer>;
};

/** Paths of the variants B and C, which speak B where a client speaks A. */
const VARIANT_PATHS = /^\/v1\/(opportunities|pipeline)(\/|$)/;

const chosen = (headers: Headers): string | null =>
  headers.get('x-api-variant')?.trim().toLowerCase() ?? null;

function checkHeaders(headers: Headers): void {
  originOf(headers);
  const variant = chosen(headers);
  if (variant === null || Object.hasOwn(variants, variant)) return;
  throw new ApiError('validation', 'Mend this header.', {
    details: [{ field: 'X-Api-Variant', message: 'must be one of a, b, c' }],
  });
}

function variantOf(actor: Actor, headers: Headers, path: string): Variant {
  const own = actor.type === 'oauth_client' ? actor.variant : 'a';
  const id = (chosen(headers) ?? own) as Variant['id'];
  return variants[id === 'a' && VARIANT_PATHS.test(path) ? 'b' : id];
}

/** Completes an endpoint of records. Ids in its path that cannot be one are answered 404. */
export function recordsEndpoint({ resource, run, ...endpoint }: RecordsEndpoint): Endpoint {
  const { successStatus } = endpoint;
  return {
    ...endpoint,
    checkHeaders,
    successStatus:
      typeof successStatus === 'number'
        ? successStatus
        : ({ actor, headers, call }) => successStatus(variantOf(actor, headers, call.path)),
    async handle(request) {
      const variant = variantOf(request.context.actor, request.headers, request.call.path);
      for (const [name, value] of Object.entries(request.params)) {
        if (name !== 'delivery_id' && !isUuid(value)) throw noSuchThing(name);
      }
      try {
        return await run({ ...request, variant });
      } catch (error) {
        throw inNamesOf(variant, resource, error);
      }
    },
  };
}

function noSuchThing(name: string): ApiError {
  const what = name === 'id' ? 'record' : name.replace(/_id$/, '');
  return new ApiError('not_found', `There is no ${what} with this id.`, { reason: 'malformed_id' });
}

/** Domains name fields canonically; a caller knows the names of the variant. */
function inNamesOf(variant: Variant, resource: Resource, error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== 'unprocessable' || !error.details) return error;
  const { code, message, reason, extra } = error;
  const details = error.details.map((detail) => ({
    ...detail,
    field: nameFor(variant.namings[resource], detail.field),
  }));
  return new ApiError(code, message, { details, ...(reason && { reason }), ...(extra && { extra }) });
}

/** An answer with one thing in it. */
export const single = (request: RecordsRequest, status: number, data: unknown): Answer => ({
  status,
  body: { data, meta: metaOf(request.call.requestId) },
});

/** An answer with one record. */
export const one = (request: RecordsRequest, status: number, resource: Resource, record: Row): Answer =>
  single(request, status, show(request.variant, resource, record));

/** An answer with a page of a list. */
export function many(request: RecordsRequest, result: ListResult, shown: (record: Row) => unknown): Answer {
  const { variant, call } = request;
  const { records, total, page, perPage } = result;
  const data = records.map(shown);
  const totalPages = Math.ceil(total / perPage);
  const numbers = { page, per_page: perPage, total, total_pages: totalPages };
  const body = variant.listsInMeta
    ? { data, meta: { ...metaOf(call.requestId), ...numbers } }
    : { data, pagination: numbers };
  return { status: 200, body };
}

/** Reads the query of a list in the variant's names. */
export function listQuery(request: RecordsRequest, resource: Resource, list: List): ListQuery {
  return parseListQuery(list, request.variant.namings[resource], request.variant, request.query);
}

/** A page of a whole list. */
export async function listAnswer(request: RecordsRequest, resource: Resource, list: List): Promise<Answer> {
  const result = await readList(request.context, list, listQuery(request, resource, list));
  return many(request, result, (record) => show(request.variant, resource, record));
}

export const nothing: Answer = { status: 204 };
