// Requests of the records interface.

import type { FeedPage } from '../core/feeds.ts';
import type { CallOptions } from '../core/options.ts';
import { type List, paged, part, queryText } from '../core/pages.ts';
import type { Transport } from '../core/transport.ts';
import { OptionsError } from '../errors.ts';
import type { Variant } from './types.ts';

export interface WriteOptions extends CallOptions {
  /** Comes back as `origin` of the events that the request causes: up to 64 visible ASCII characters. */
  origin?: string;
  /** No webhooks, points, automations and mails follow: for imports. Needs the scope `admin`. */
  silent?: boolean;
  /** The record's version, by `etagOf`: it is changed where nobody changed it since. Else a `PreconditionFailedError`. */
  ifMatch?: string;
  /**
   * For POST: one of your own where you keep it over restarts of your program; else one is made. The same key with the same body is
   * done once within 24 hours.
   */
  idempotencyKey?: string;
}

export interface PutOptions extends WriteOptions {
  /** Only makes the record; where it is there already, a `PreconditionFailedError`. */
  ifNoneMatch?: '*';
}

const etags = new WeakMap<object, string>();

/**
 * The version of a record that a call answered with: one that was got, made or changed alone, not an item of a list.
 * Kept as text it can be given to `ifMatch` at any later time.
 */
export function etagOf(record: object): string {
  const etag = etags.get(record);
  if (etag !== undefined) return etag;
  throw new OptionsError('etagOf wants a record as a call answered with it; items of lists have no version', {
    code: 'invalid_options',
  });
}

interface Standing {
  page: number;
  total_pages: number;
}

interface Envelope {
  data: unknown;
  meta?: Partial<Standing & { next_cursor: string; has_more: boolean }>;
  /** In variants B and C. */
  pagination?: Standing;
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

  async #send(method: string, path: string, body: unknown, options: PutOptions = {}): Promise<Envelope> {
    const { origin, silent, ifMatch, ifNoneMatch, idempotencyKey, ...call } = options;
    const key = method === 'POST' ? (idempotencyKey ?? crypto.randomUUID()) : undefined;
    const conditional = ifMatch !== undefined || ifNoneMatch !== undefined;
    const request = {
      method,
      target: `/v1${path}`,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        ...this.#headers,
        ...(origin !== undefined && { 'X-Origin': origin }),
        ...(silent !== undefined && { 'X-Silent': String(silent) }),
        ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
        ...(ifNoneMatch !== undefined && { 'If-None-Match': ifNoneMatch }),
        ...(key !== undefined && { 'Idempotency-Key': key }),
      },
      // A condition would no longer hold once it was done; a key has its answer come again.
      repeatable: !conditional || key !== undefined,
    };
    const { body: answered, headers } = await this.#transport.answer(request, call);
    // An answer of the interface always is such an object; the one to a DELETE is empty.
    const envelope = (answered ?? { data: undefined }) as Envelope;
    const etag = headers.get('etag');
    if (etag !== null && typeof envelope.data === 'object' && envelope.data !== null) {
      etags.set(envelope.data, etag);
    }
    return envelope;
  }

  /** `data` of the answer, which is as the document says for the path. */
  async data<Data>(method: string, path: string, body?: unknown, options?: PutOptions): Promise<Data> {
    return (await this.#send(method, path, body, options)).data as Data;
  }

  /** An answer that is in no envelope, as the document says for the path. */
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
    const first: { page?: number } = { per_page: 100, ...query } as { page?: number };
    return paged<Item, { page?: number }>(first, async (asked) => {
      const { data, meta, pagination } = await this.#send('GET', path + queryText(asked), undefined, options);
      const { page = 1, total_pages: last = 1 } = pagination ?? meta ?? {};
      const items = data as Item[];
      const more = items.length > 0 && page < last;
      return { items, next: more ? { ...asked, page: page + 1 } : undefined };
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

/** What every kind of record can. */
export function collection<Kind extends AnyKind>(requests: Requests, name: string) {
  const path = (id: string) => `/${name}/${part(id)}`;
  return {
    create: (record: Kind['create'], options?: WriteOptions) =>
      requests.data<Kind['made']>('POST', `/${name}`, record, options),
    get: (id: string, options?: CallOptions) =>
      requests.data<Kind['one']>('GET', path(id), undefined, options),
    list: (query?: Kind['query'], options?: CallOptions): List<Kind['item']> =>
      // The query of a list is an object.
      requests.list(`/${name}`, query as object | undefined, options),
    /** An absent member stays, null clears it. */
    update: (id: string, change: Kind['change'], options?: WriteOptions) =>
      requests.data<Kind['changed']>('PATCH', path(id), change, options),
  };
}

export function removal(requests: Requests, name: string) {
  return (id: string, options?: WriteOptions) =>
    requests.data<void>('DELETE', `/${name}/${part(id)}`, undefined, options);
}

interface NamedKind {
  one: unknown;
  put: unknown;
  changed: unknown;
}

/** Of records that a program may call by its own ids. */
export function externalOf<Kind extends NamedKind>(requests: Requests, name: string) {
  const path = (externalId: string) => `/${name}/external/${part(externalId)}`;
  return {
    getByExternalId: (externalId: string, options?: CallOptions) =>
      requests.data<Kind['one']>('GET', path(externalId), undefined, options),
    /** Makes the record that you call so, or changes it: once, however often it is sent. */
    put: (externalId: string, record: Kind['put'], options?: PutOptions) =>
      requests.data<Kind['changed']>('PUT', path(externalId), record, options),
  };
}

interface BatchedKind {
  operation: unknown;
  result: unknown;
}

export interface BatchOptions extends WriteOptions {
  /** All of them or none: then a refused one throws a `BatchRejectedError`. At most 500 then. */
  atomic?: boolean;
}

/** Of one request: operations; characters, of at most three bytes each; members and items of the JSON, which has them behind these signs. */
const MOST = { operations: 500, characters: 2_000_000, signs: 45_000 };

/** Operations that one request takes each, in their order. */
function cut<Operation>(operations: readonly Operation[]): Operation[][] {
  const parts: Operation[][] = [];
  let [characters, signs] = [0, 0];
  for (const operation of operations) {
    const text = JSON.stringify(operation);
    const textSigns = text.split(/[,{[]/).length;
    characters += text.length;
    signs += textSigns;
    const part = parts.at(-1);
    if (part && part.length < MOST.operations && characters <= MOST.characters && signs <= MOST.signs)
      part.push(operation);
    else {
      parts.push([operation]);
      characters = text.length;
      signs = textSigns;
    }
  }
  return parts;
}

/** Of records that are written in batches. */
export function batchOf<Kind extends BatchedKind>(requests: Requests, name: string) {
  return {
    /**
     * Does the operations in their order, any number of them, at most 500 a request, and gives what came of each: one that is refused stops no
     * other. A key of your own is that of the first request; the next ones have `.1`, `.2` behind it.
     */
    async batch(
      operations: readonly Kind['operation'][],
      { atomic = false, idempotencyKey = crypto.randomUUID(), ...options }: BatchOptions = {},
    ): Promise<Kind['result'][]> {
      const results: Kind['result'][] = [];
      const parts = atomic && operations.length > 0 ? [operations] : cut(operations);
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
