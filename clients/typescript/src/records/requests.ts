// Requests of the records interface.

import type { FeedPage } from '../core/feeds.ts';
import { toJson } from '../core/json.ts';
import type { CallOptions } from '../core/options.ts';
import { type List, paged, part, queryText } from '../core/pages.ts';
import type { Transport } from '../core/transport.ts';
import { OptionsError } from '../errors.ts';
import type { Variant } from './types.ts';

export interface WriteOptions extends CallOptions {
  /** Returned as `origin` in the events that the request causes: up to 64 visible ASCII characters. */
  origin?: string;
  /** For imports: causes no webhooks, points, automations or emails. Needs the scope `admin`. */
  silent?: boolean;
  /** The version from `etagOf`. If the record has changed since, the call throws a `PreconditionFailedError`. */
  ifMatch?: string;
  /**
   * For POST: your own key if you keep it across restarts of your program. Default: a random key. The same key with the same body
   * is executed once within 24 hours.
   */
  idempotencyKey?: string;
}

export interface AdminOptions extends Omit<WriteOptions, 'silent'> {
  /** The person that your program acts for, for the audit trail. */
  onBehalfOf?: string;
}

export interface PutOptions extends WriteOptions {
  /** Only creates the record. If it exists, the call throws a `PreconditionFailedError`. */
  ifNoneMatch?: '*';
}

const etags = new WeakMap<object, string>();

/**
 * The version of a record that a call returned: one that was fetched, created or changed by itself, not an item of a list.
 * You can store this string and pass it to `ifMatch` later.
 */
export function etagOf(record: object): string {
  const etag = etags.get(record);
  if (etag !== undefined) return etag;
  throw new OptionsError('etagOf needs a record that a call returned; list items have no version', {
    code: 'invalid_options',
  });
}

interface PageNumbers {
  page: number;
  total_pages: number;
}

interface Envelope {
  data: unknown;
  meta?: Partial<PageNumbers & { next_cursor: string; has_more: boolean }>;
  /** Variants B and C. */
  pagination?: PageNumbers;
}

export class Requests {
  readonly #transport: Transport;
  readonly #headers: Record<string, string>;

  constructor(transport: Transport, variant: Variant | undefined) {
    this.#transport = transport;
    if (variant !== undefined && !['a', 'b', 'c'].includes(variant)) {
      throw new OptionsError('variant must be a, b or c', { code: 'invalid_options' });
    }
    this.#headers = variant === undefined ? {} : { 'X-Api-Variant': variant };
  }

  async #send(
    method: string,
    path: string,
    body: unknown,
    options: PutOptions & AdminOptions = {},
  ): Promise<Envelope> {
    const { origin, silent, ifMatch, ifNoneMatch, idempotencyKey, onBehalfOf, ...call } = options;
    const key = method === 'POST' ? (idempotencyKey ?? crypto.randomUUID()) : undefined;
    const conditional = ifMatch !== undefined || ifNoneMatch !== undefined;
    const request = {
      method,
      target: `/v1${path}`,
      ...(body !== undefined && { body: toJson(body) }),
      headers: {
        ...this.#headers,
        ...(origin !== undefined && { 'X-Origin': origin }),
        ...(silent !== undefined && { 'X-Silent': String(silent) }),
        ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
        ...(ifNoneMatch !== undefined && { 'If-None-Match': ifNoneMatch }),
        ...(key !== undefined && { 'Idempotency-Key': key }),
        ...(onBehalfOf !== undefined && { 'X-On-Behalf-Of': onBehalfOf }),
      },
      // After success the condition no longer matches; an idempotency key makes the server repeat its response.
      repeatable: !conditional || key !== undefined,
    };
    const { body: answered, headers } = await this.#transport.request(request, call);
    // Responses are always such an object, except that of DELETE, which is empty.
    const envelope = (answered ?? { data: undefined }) as Envelope;
    const etag = headers.get('etag');
    if (etag !== null && typeof envelope.data === 'object' && envelope.data !== null) {
      etags.set(envelope.data, etag);
    }
    return envelope;
  }

  /** `data` of the response. Its type comes from the OpenAPI document. */
  async data<Data>(
    method: string,
    path: string,
    body?: unknown,
    options?: PutOptions & AdminOptions,
  ): Promise<Data> {
    return (await this.#send(method, path, body, options)).data as Data;
  }

  /** A response without an envelope. Its type comes from the OpenAPI document. */
  async plain<Answer>(method: string, path: string, options?: CallOptions): Promise<Answer> {
    const answer: unknown = await this.#send(method, path, undefined, options);
    return answer as Answer;
  }

  async feed<Event>(query: object, options?: CallOptions): Promise<FeedPage<Event>> {
    const { data, meta } = await this.#send('GET', `/events${queryText(query)}`, undefined, options);
    const { next_cursor: nextCursor = '', has_more: hasMore = false } = meta ?? {};
    return { events: data as Event[], nextCursor, hasMore };
  }

  list<Item>(path: string, query: object = {}, options?: CallOptions): List<Item> {
    interface Position {
      page?: number;
      after?: string;
    }
    const first: Position = { per_page: 100, ...query } as Position;
    return paged<Item, Position>(first, async (position) => {
      const { data, meta, pagination } = await this.#send(
        'GET',
        path + queryText(position),
        undefined,
        options,
      );
      const { page = 1, total_pages: last = 1 } = pagination ?? meta ?? {};
      const items = data as Item[];
      const more = items.length > 0 && page < last;
      // The logs of the admin API have cursors instead of numbers.
      const { has_more: hasMoreEntries, next_cursor: after } = meta ?? {};
      const next = hasMoreEntries && after !== undefined ? { after } : more && { page: page + 1 };
      return { items, next: next ? { ...position, ...next } : undefined };
    });
  }
}

interface AnyKind {
  item: unknown;
  query: unknown;
  one: unknown;
  made: unknown;
  create: unknown;
  changed: unknown;
  change: unknown;
}

/** Methods of every kind of record. */
export function collection<Kind extends AnyKind>(requests: Requests, name: string) {
  const path = (id: string) => `/${name}/${part(id)}`;
  return {
    create: (record: Kind['create'], options?: WriteOptions) =>
      requests.data<Kind['made']>('POST', `/${name}`, record, options),
    get: (id: string, options?: CallOptions) =>
      requests.data<Kind['one']>('GET', path(id), undefined, options),
    list: (query?: Kind['query'], options?: CallOptions): List<Kind['item']> =>
      // A list query is always an object.
      requests.list(`/${name}`, query as object | undefined, options),
    /** Absent members stay unchanged; null clears a member. */
    update: (id: string, change: Kind['change'], options?: WriteOptions) =>
      requests.data<Kind['changed']>('PATCH', path(id), change, options),
  };
}

export function deleteMethod(requests: Requests, name: string) {
  return (id: string, options?: WriteOptions) =>
    requests.data<void>('DELETE', `/${name}/${part(id)}`, undefined, options);
}

interface NamedKind {
  one: unknown;
  put: unknown;
  changed: unknown;
}

/** Methods of records with external ids. */
export function externalIdMethods<Kind extends NamedKind>(requests: Requests, name: string) {
  const path = (externalId: string) => `/${name}/external/${part(externalId)}`;
  return {
    getByExternalId: (externalId: string, options?: CallOptions) =>
      requests.data<Kind['one']>('GET', path(externalId), undefined, options),
    /** Creates or updates the record with your own id. Repeating the call is safe. */
    put: (externalId: string, record: Kind['put'], options?: PutOptions) =>
      requests.data<Kind['changed']>('PUT', path(externalId), record, options),
  };
}

interface BatchedKind {
  operation: unknown;
  result: unknown;
}

export interface BatchOptions extends WriteOptions {
  /** Executes all operations (at most 500) or none. If one is rejected, the call throws a `BatchRejectedError`. */
  atomic?: boolean;
}

/** Limits of one request: operations, characters (at most three bytes each), and JSON members and items, counted by these characters. */
const MAX_PER_REQUEST = { operations: 500, characters: 2_000_000, separators: 45_000 };

/** Splits the operations into requests, in order. */
function splitIntoRequests<Operation>(operations: readonly Operation[]): Operation[][] {
  const parts: Operation[][] = [];
  let [characters, separators] = [0, 0];
  for (const operation of operations) {
    const text = toJson(operation);
    const textSeparators = text.split(/[,{[]/).length;
    characters += text.length;
    separators += textSeparators;
    const part = parts.at(-1);
    if (
      part &&
      part.length < MAX_PER_REQUEST.operations &&
      characters <= MAX_PER_REQUEST.characters &&
      separators <= MAX_PER_REQUEST.separators
    )
      part.push(operation);
    else {
      parts.push([operation]);
      characters = text.length;
      separators = textSeparators;
    }
  }
  return parts;
}

/** Methods of records with batch writes. */
export function batchOf<Kind extends BatchedKind>(requests: Requests, name: string) {
  return {
    /**
     * Executes any number of operations in order, at most 500 per request, and returns the result of each. A rejected operation does
     * not stop the others. Your own idempotency key is used for the first request; later requests append `.1`, `.2` and so on.
     */
    async batch(
      operations: readonly Kind['operation'][],
      { atomic = false, idempotencyKey = crypto.randomUUID(), ...options }: BatchOptions = {},
    ): Promise<Kind['result'][]> {
      const results: Kind['result'][] = [];
      const parts = atomic && operations.length > 0 ? [operations] : splitIntoRequests(operations);
      for (const [nth, part] of parts.entries()) {
        const body = { operations: part, atomic };
        const key = nth === 0 ? idempotencyKey : `${idempotencyKey}.${nth}`;
        const data = await requests.data<{ results: Kind['result'][] }>('POST', `/${name}/batch`, body, {
          ...options,
          idempotencyKey: key,
        });
        results.push(...data.results);
      }
      return results;
    },
  };
}
