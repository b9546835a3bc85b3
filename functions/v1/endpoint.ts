// What every endpoint of records does: the variant, bodies in its names, the envelope of answers, and the names in errors.
import type { z } from 'zod';
import { originOf } from '../../shared/platform/auth/require-token.ts';
import {
  type Actor,
  type Context,
  type NamingVariant,
  namingVariants,
} from '../../shared/platform/context.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import {
  type Answer,
  type Endpoint,
  type EndpointRequest,
  endpoint,
} from '../../shared/platform/http/endpoint.ts';
import { metaOf } from '../../shared/platform/http/error-formats.ts';
import { isUuid } from '../../shared/platform/uuid.ts';
import {
  type List,
  type ListQuery,
  type ListResult,
  parseListQuery,
  readList,
} from '../../shared/records/list.ts';
import { parseBody } from '../../shared/records/parse-body.ts';
import { nameFor } from '../../shared/records/variants/naming.ts';
import {
  type RecordTypes,
  type Resource,
  serialize,
  type Variant,
} from '../../shared/records/variants/variant.ts';
import { variants } from '../../shared/records/variants/variants.ts';

export interface RecordsEndpoint<Path extends string>
  extends Omit<Endpoint<Path>, 'handle' | 'checkHeaders'> {
  /** The resource that bodies and errors are about. */
  resource: Resource;
  handle(request: RecordsRequest<Path>): Promise<Answer>;
}

/** Completes an endpoint of records. Ids in its path that cannot be one are answered 404. */
export function recordsEndpoint<const Path extends string>({
  resource,
  handle,
  ...rest
}: RecordsEndpoint<Path>): Endpoint<Path> {
  return endpoint({
    ...rest,
    checkHeaders,
    async handle(request) {
      const variant = variantOf(request);
      for (const [name, value] of Object.entries<string>(request.params)) {
        if (name !== 'delivery_id' && !isUuid(value)) throw noSuchThing(name);
      }
      try {
        return await handle(new RecordsRequest(request, variant, resource));
      } catch (error) {
        throw inNamesOf(variant, resource, error);
      }
    },
  });
}

/** A request of records: what it holds is read, and what it did is answered, in the names of its variant. */
export class RecordsRequest<Path extends string> {
  readonly params: EndpointRequest<Path>['params'];
  readonly query: URLSearchParams;
  readonly actor: Actor;
  readonly variant: Variant;
  readonly #request: EndpointRequest<Path>;
  readonly #resource: Resource;

  constructor(request: EndpointRequest<Path>, variant: Variant, resource: Resource) {
    this.params = request.params;
    this.query = request.query;
    this.actor = request.actor;
    this.variant = variant;
    this.#request = request;
    this.#resource = resource;
  }

  /** The body by this schema. `required` members are asked for beside the schema's own. Throws 400. */
  parse<S extends z.ZodObject>(schema: S, required?: readonly string[]): z.output<S> {
    return parseBody(schema, this.variant.namings[this.#resource], this.#request.json, required);
  }

  /** Does the work and answers with what it gives, shaped. */
  async answer<T>(
    status: number,
    work: (context: Context) => Promise<T>,
    shape: (result: T) => unknown,
  ): Promise<Answer> {
    const data = shape(await work(this.#request.context(status)));
    return { status, body: { data, meta: metaOf(this.#request.requestContext.requestId) } };
  }

  /** Does the work and answers with the record that it gives. */
  record<R extends Resource>(
    status: number,
    resource: R,
    work: (context: Context) => Promise<RecordTypes[R]>,
  ): Promise<Answer> {
    return this.answer(status, work, (record) => serialize(this.variant, resource, record));
  }

  /** Does work that leaves nothing to show. */
  async noContent(work: (context: Context) => Promise<void>): Promise<Answer> {
    await work(this.#request.context(204));
    return { status: 204 };
  }

  /** Answers with a page of a list of records. */
  list<R extends Resource>(
    resource: R,
    list: List<RecordTypes[R]>,
    read: (context: Context, query: ListQuery) => Promise<ListResult<RecordTypes[R]>> = (context, query) =>
      readList(context, list, query),
  ): Promise<Answer> {
    return this.page(resource, list, read, (record) => serialize(this.variant, resource, record));
  }

  /** Answers with all records of a list that has no pages. */
  async wholeList<R extends Resource>(
    resource: R,
    read: (context: Context) => Promise<RecordTypes[R][]>,
  ): Promise<Answer> {
    const records = await read(this.#request.context(200));
    const data = records.map((record) => serialize(this.variant, resource, record));
    const meta = metaOf(this.#request.requestContext.requestId);
    return { status: 200, body: this.variant.listsInMeta ? { data, meta } : { data } };
  }

  /** Answers with a page of a list, each entry shaped. `resource` is what the query is named by. */
  async page<T extends object>(
    resource: Resource,
    list: List<T>,
    read: (context: Context, query: ListQuery) => Promise<ListResult<T>>,
    shape: (entry: T) => unknown,
  ): Promise<Answer> {
    const { namings, defaultPerPage, listsInMeta } = this.variant;
    const query = parseListQuery(list, namings[resource], defaultPerPage, this.query);
    const { records, total, page, perPage } = await read(this.#request.context(200), query);
    const data = records.map(shape);
    const numbers = { page, per_page: perPage, total, total_pages: Math.ceil(total / perPage) };
    const meta = metaOf(this.#request.requestContext.requestId);
    const body = listsInMeta ? { data, meta: { ...meta, ...numbers } } : { data, pagination: numbers };
    return { status: 200, body };
  }
}

/** Paths of the variants B and C, which speak B where a client speaks A. */
const VARIANT_PATHS = /^\/v1\/(opportunities|pipeline)(\/|$)/;

/** What the request asks for, if anything, whether there is such a variant or not. */
const askedVariant = (headers: Headers): string | undefined =>
  headers.get('x-api-variant')?.trim().toLowerCase();

function knownVariant(name: string | undefined): NamingVariant | undefined {
  return namingVariants.find((one) => one === name);
}

function checkHeaders(headers: Headers): void {
  originOf(headers);
  const asked = askedVariant(headers);
  if (asked === undefined || knownVariant(asked)) return;
  throw new ApiError('validation', 'Fix this header.', {
    details: [{ field: 'X-Api-Variant', message: `must be one of ${namingVariants.join(', ')}` }],
  });
}

function variantOf({ actor, headers, requestContext }: EndpointRequest): Variant {
  const id = knownVariant(askedVariant(headers)) ?? ownVariant(actor);
  return variants[id === 'a' && VARIANT_PATHS.test(requestContext.path) ? 'b' : id];
}

/** The variant that the client speaks unless a request says otherwise. */
export const ownVariant = (actor: Actor): NamingVariant =>
  actor.type === 'oauth_client' ? actor.variant : 'a';

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
