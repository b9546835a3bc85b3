// A request to the records interface: its variant, parsing of bodies, response envelopes, and field names in errors.
import type { z } from 'zod';
import {
  type Actor,
  type Context,
  clientOf,
  type EndpointResponse,
  personOf,
} from '../../shared/platform/access/context.ts';
import {
  type ConditionHeader,
  type EntityTags,
  entityTagsOf,
  matchesAny,
} from '../../shared/platform/entity-tags.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import type { EndpointRequest } from '../../shared/platform/http/endpoint.ts';
import type { Query } from '../../shared/platform/query.ts';
import { metaOf } from '../../shared/platform/request/error-formats.ts';
import { externalIdOfPerson } from '../../shared/records/external-ids.ts';
import {
  type List,
  type ListQuery,
  type ListResult,
  pageBody,
  parseListQuery,
  readList,
} from '../../shared/records/list.ts';
import { type Members, nameFor, parseBody } from '../../shared/records/naming.ts';
import type { UpsertConditions, Upserted } from '../../shared/records/upsert.ts';
import { clientVariant, requestedVariant } from '../../shared/records/variants/requested-variant.ts';
import type { RecordTypes, Resource, Variant } from '../../shared/records/variants/variant.ts';
import { serialize, variants } from '../../shared/records/variants/variants.ts';
import { headersOf, isVersioned, type Lists, type VersionedResource } from '../../shared/records/versions.ts';
import { ifUnchanged, orPreconditionFailed } from './conditional.ts';

type Meta = ReturnType<typeof metaOf>;

/** The subject of a request. */
export interface Subject {
  /** The resource whose names bodies and errors use. */
  resource: Resource;
  /** The kind of record that the request returns, or changes by `:id`. */
  conditional: VersionedResource | undefined;
}

/** Handles a request, and its errors, in the names of its variant. */
export async function handleRecords<Path extends string>(
  request: EndpointRequest<Path>,
  subject: Subject,
  handle: (request: RecordsRequest<Path>) => Promise<EndpointResponse>,
): Promise<EndpointResponse> {
  const variant = variantOf(request);
  try {
    return await handle(new RecordsRequest(request, variant, subject));
  } catch (error) {
    throw errorInVariant(variant, subject.resource, error);
  }
}

/** Paths of variants B and C. For clients of variant A, they use variant B. */
const VARIANT_PATHS = /^\/v1\/(me\/opportunities|opportunities|pipeline)(\/|$)/;

/** The variant of the header X-Api-Variant, or else the client's. */
function variantOf({ actor, headers, requestContext }: EndpointRequest): Variant {
  const id = requestedVariant(headers) ?? clientVariant(actor);
  return variants[id === 'a' && VARIANT_PATHS.test(requestContext.path) ? 'b' : id];
}

/** Translates field names in a 422 error from canonical names to those of the variant. */
export function errorInVariant(variant: Variant, resource: Resource, error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== 'unprocessable' || !error.details) return error;
  const { code, message, reason, extra } = error;
  const details = error.details.map((detail) => ({
    ...detail,
    field: nameFor(variant.namings[resource], detail.field),
  }));
  return new ApiError(code, message, { details, ...(reason && { reason }), ...(extra && { extra }) });
}

/** Throws `validation` if a person sets an external id, which belongs to a client. */
function rejectExternalId({ shape }: z.ZodObject, { external_id: externalId }: Members): void {
  if ('external_id' in shape && externalId !== undefined && externalId !== null) throw externalIdOfPerson();
}

/** A records request. Parses bodies and formats responses in the names of its variant. */
export class RecordsRequest<Path extends string> {
  readonly params: EndpointRequest<Path>['params'];
  readonly query: Query;
  readonly actor: Actor;
  readonly variant: Variant;
  readonly #request: EndpointRequest<Path>;
  readonly #subject: Subject;

  constructor(request: EndpointRequest<Path>, variant: Variant, subject: Subject) {
    this.params = request.params;
    this.query = request.query;
    this.actor = request.actor;
    this.variant = variant;
    this.#request = request;
    this.#subject = subject;
  }

  /** The path as sent, percent-encoded. */
  get rawPath(): string {
    return this.#request.requestContext.path;
  }

  /** Aborted when the caller disconnects. */
  get signal(): AbortSignal {
    return this.#request.signal;
  }

  /** A record in the names of the variant. */
  shape<R extends Resource>(resource: R, record: RecordTypes[R]): object {
    return serialize(this.variant, resource, record, clientOf(this.actor));
  }

  /** Parses a body, by default that of the request. `required` adds required members to the schema. Throws `validation`. */
  parse<S extends z.ZodObject>(
    schema: S,
    required?: readonly string[],
    body: Readonly<Record<string, unknown>> = this.#request.json,
  ): z.output<S> {
    if (personOf(this.actor) !== null) rejectExternalId(schema, body);
    return parseBody(schema, this.variant.namings[this.#subject.resource], body, required);
  }

  /** Runs the work and responds with its formatted result. */
  async answer<T>(
    status: number,
    work: (context: Context) => Promise<T>,
    shape: (result: T) => unknown = (result) => result,
  ): Promise<EndpointResponse> {
    return this.#success(status, shape(await this.#run(status, work)));
  }

  /** Runs the work and responds with the body that `bodyOf` creates from its result, with another envelope than `answer`. */
  async respond<T>(
    work: (context: Context) => Promise<T>,
    bodyOf: (result: T, meta: Meta) => object,
  ): Promise<EndpointResponse> {
    return { status: 200, body: bodyOf(await this.#run(200, work), this.#meta) };
  }

  /** Runs the work and responds with the record that it returns, and with the record's lists. */
  async record<R extends Resource, T extends RecordTypes[R]>(
    status: number,
    resource: R,
    work: (context: Context) => Promise<T>,
    listsOf: (record: T) => Lists = () => ({}),
  ): Promise<EndpointResponse> {
    const record = await this.#run(status, work);
    const shown = this.shape(resource, record);
    const lists = listsOf(record);
    const success = this.#success(status, { ...shown, ...lists });
    if (!isVersioned(resource)) return success;
    // The compiler does not narrow the record's type together with the resource.
    const headers = headersOf(this.variant.id, record as RecordTypes[VersionedResource], shown, lists);
    if (this.#isRead && matchesAny(this.#tags('If-None-Match'), headers.ETag))
      return { status: 304, headers };
    return { ...success, headers };
  }

  /**
   * Responds with the record that was created (201) or updated (200). If the request's conditions fail, `current` reads the record for
   * the error.
   */
  async recordAfterUpsert<R extends VersionedResource>(
    resource: R,
    work: (context: Context, conditions: UpsertConditions) => Promise<Upserted<RecordTypes[R]>>,
    current: (context: Context) => Promise<RecordTypes[R]>,
  ): Promise<EndpointResponse> {
    const conditions = { versions: this.#tags('If-Match'), onlyNew: this.#tags('If-None-Match') === '*' };
    const context = this.#request.context(200);
    const { made, record } = await orPreconditionFailed(
      context,
      this.variant,
      resource,
      work(context, conditions),
      current,
    );
    const shown = this.shape(resource, record);
    return { ...this.#success(made ? 201 : 200, shown), headers: headersOf(this.variant.id, record, shown) };
  }

  /**
   * Runs work that checks the versions of `If-Match` itself, and responds with the record that it returns. If no version matches,
   * `current` reads the record for the error.
   */
  async recordAfterVersionCheck<R extends VersionedResource>(
    resource: R,
    work: (context: Context, versions: EntityTags | undefined) => Promise<RecordTypes[R]>,
    current: (context: Context) => Promise<RecordTypes[R]>,
  ): Promise<EndpointResponse> {
    const context = this.#request.context(200);
    const working = work(context, this.#tags('If-Match'));
    const record = await orPreconditionFailed(context, this.variant, resource, working, current);
    const shown = this.shape(resource, record);
    return { ...this.#success(200, shown), headers: headersOf(this.variant.id, record, shown) };
  }

  /** The body as sent. */
  get json(): Readonly<Record<string, unknown>> {
    return this.#request.json;
  }

  /** Runs the work and responds with 204. */
  async noContent(work: (context: Context) => Promise<void>): Promise<EndpointResponse> {
    await this.#run(204, work);
    return { status: 204 };
  }

  #success(status: number, data: unknown): EndpointResponse {
    return { status, body: { data, meta: this.#meta } };
  }

  get #meta(): Meta {
    return metaOf(this.#request.requestContext.requestId);
  }

  get #isRead(): boolean {
    return ['GET', 'HEAD'].includes(this.#request.requestContext.method);
  }

  #tags = (name: ConditionHeader) => entityTagsOf(this.#request.headers, name);

  /** Runs the work if the request's precondition holds. */
  #run<T>(status: number, work: (context: Context) => Promise<T>): Promise<T> {
    const context = this.#request.context(status);
    const resource = this.#subject.conditional;
    const tags = resource && !this.#isRead ? this.#tags('If-Match') : undefined;
    if (!resource || tags === undefined) return work(context);
    const { id = '' }: Readonly<Record<string, string>> = this.params;
    return ifUnchanged(context, this.variant, { resource, id, tags }, work);
  }

  /** Responds with a page of records. */
  list<R extends Resource>(
    resource: R,
    list: List<RecordTypes[R]>,
    read: (context: Context, query: ListQuery) => Promise<ListResult<RecordTypes[R]>> = (context, query) =>
      readList(context, list, query),
  ): Promise<EndpointResponse> {
    return this.page(resource, list, read, (record) => this.shape(resource, record));
  }

  /** Responds with a page of formatted entries. The query uses the names of `resource`. */
  page<T extends object>(
    resource: Resource,
    list: List<T>,
    read: (context: Context, query: ListQuery) => Promise<ListResult<T>>,
    shape: (entry: T) => unknown,
  ): Promise<EndpointResponse> {
    const { namings, defaultPerPage } = this.variant;
    const query = parseListQuery(list, namings[resource], defaultPerPage, this.query);
    return this.pageOf((context) => read(context, query), shape);
  }

  /** Responds with a page whose query is parsed elsewhere. */
  pageOf<T>(
    read: (context: Context) => Promise<ListResult<T>>,
    shape: (entry: T) => unknown,
  ): Promise<EndpointResponse> {
    return this.respond(read, (page, meta) => pageBody(this.variant, page.records.map(shape), page, meta));
  }
}
