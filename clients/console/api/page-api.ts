// The API calls of one page: at most seven, so that pages stay fast.
import { toJson } from '../../typescript/src/core/json.ts';
import { NotFoundError, PlacarError } from '../../typescript/src/errors.ts';
import { dealOf, readsDeals } from './deals.ts';
import type { Deployment } from './deployment.ts';
import { asJson, asNumber, asRows, asText, type Json } from './json.ts';

const MAX_CALLS = 7;

export type Query = Readonly<Record<string, string | number | undefined>>;

export interface Rows {
  rows: Json[];
  /** Only for lists with a total. */
  total?: number | undefined;
  totalPages?: number | undefined;
  /** Cursor of the next page, if there is one. */
  next?: string | undefined;
}

export interface Found {
  record: Json;
  etag: string | undefined;
}

export interface Written {
  record: Json;
  /** A summary of the change, as one English sentence. */
  summary: string;
}

export interface Write {
  method: string;
  target: string;
  body?: unknown;
  ifMatch?: string | undefined;
  idempotencyKey?: string | undefined;
}

/** The deployment has no credentials for this interface. */
export class NoCredentials extends Error {
  readonly interface: 'payments' | 'records';
  constructor(name: 'payments' | 'records') {
    super(`No credentials for ${name}.`);
    this.interface = name;
  }
}

export class PageApi {
  readonly #deployment: Deployment;
  #left: number;

  /** `maxCalls`: for exports, which read page after page. */
  constructor(deployment: Deployment, maxCalls = MAX_CALLS) {
    this.#deployment = deployment;
    this.#left = maxCalls;
  }

  /** Calls that the page may still make. */
  get left(): number {
    return this.#left;
  }

  async rows(path: string, query: Query = {}): Promise<Rows> {
    const { body } = await this.#send({ method: 'GET', target: withQuery(path, query) });
    const { data, meta, pagination, has_more: hasMore } = asJson(body);
    const rows = readsDeals('GET', path) ? asRows(data).map(dealOf) : asRows(data);
    const {
      total,
      total_pages: totalPages,
      next_cursor: cursor,
      has_more: more,
    } = asJson(meta ?? pagination);
    // Payments continue after the last row, logs and feeds after a cursor.
    const next = cursor ?? (hasMore === true ? rows.at(-1)?.id : undefined);
    const isLast = (more ?? hasMore) === false;
    return {
      rows,
      total: asNumber(total),
      totalPages: asNumber(totalPages),
      next: isLast ? undefined : asText(next) || undefined,
    };
  }

  async one(path: string, query: Query = {}): Promise<Found> {
    const { body, etag } = await this.#send({ method: 'GET', target: withQuery(path, query) });
    const record = recordOf(path, body);
    return { record: readsDeals('GET', path) ? dealOf(record) : record, etag };
  }

  /** Undefined if there is no such record. */
  async find(path: string): Promise<Found | undefined> {
    try {
      return await this.one(path);
    } catch (error) {
      if (error instanceof NotFoundError || (error instanceof PlacarError && isMalformedId(error)))
        return undefined;
      throw error;
    }
  }

  async write(request: Write): Promise<Written> {
    const { body } = await this.#send(request);
    const record = recordOf(request.target, body);
    return { record, summary: asText(asJson(asJson(body).meta).summary) };
  }

  async #send({ method, target, body, ifMatch, idempotencyKey }: Write) {
    this.#left -= 1;
    if (this.#left < 0) throw new Error(`A page makes at most ${MAX_CALLS} calls.`);
    const transport = this.#deployment.transportOf(target);
    if (!transport) throw new NoCredentials(target.startsWith('/payments/') ? 'payments' : 'records');
    const answer = await transport.request({
      method,
      target,
      repeatable: false,
      ...(body !== undefined && { body: toJson(body) }),
      headers: {
        ...this.#deployment.headers,
        // The console uses the names of variant A, regardless of the client's variant.
        ...(target.startsWith('/v1/') && { 'X-Api-Variant': readsDeals(method, target) ? 'c' : 'a' }),
        ...(ifMatch && { 'If-Match': ifMatch }),
        ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
      },
    });
    return { body: answer.body, etag: answer.headers.get('etag') ?? undefined };
  }
}

const recordOf = (target: string, body: unknown): Json =>
  target.startsWith('/payments/') ? asJson(body) : asJson(asJson(body).data);

/** A path parameter that no record can have. */
const isMalformedId = ({ status, fields }: PlacarError) =>
  status === 400 && fields.some(({ field }) => field === 'id');

export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path;
}
