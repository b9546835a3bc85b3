// Requests of an account: access token, envelopes, pages and error messages.
import { z } from 'zod';
import type { ConnectOptions } from '../crm.ts';
import type { CrmRequest, CrmResponse } from '../crm-http.ts';
import { CrmRecordGone, CrmRejected, CrmUnreachable } from '../errors.ts';
import { PAGE_SIZE } from './facts.ts';
import { refreshTokens } from './oauth.ts';

const MAX_REASON_LENGTH = 300;
/** More pages of users, fields or webhooks would be a loop. */
const MAX_PAGES = 100;
const MAX_PASSES = 10;

type Query = Readonly<Record<string, string>>;
export type Data = Readonly<Record<string, unknown>>;
export type RdClient = ReturnType<typeof createClient>;

export function createClient(options: ConnectOptions) {
  const baseUrl = (options.addresses.RD_STATION_URL ?? '').replace(/\/+$/, '');

  async function send(
    method: CrmRequest['method'],
    path: string,
    signal: AbortSignal,
    { query = {}, data }: { query?: Query; data?: Data } = {},
  ): Promise<CrmResponse> {
    const token = await options.tokens.accessToken((refresh) => refreshTokens(refresh, options, signal));
    const url = new URL(baseUrl + path);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const headers = { Authorization: `Bearer ${token}` };
    return await options.http({ method, url: url.href, headers, ...(data && { body: { data } }) }, signal);
  }

  async function readPage(path: string, query: Query, signal: AbortSignal) {
    const answer = await send('GET', path, signal, { query: { 'page[size]': String(PAGE_SIZE), ...query } });
    requireOk(answer, `GET ${path}`);
    const { data, links } = parse(pageSchema, answer.body, `GET ${path}`);
    // `links.next` names an address that does not exist, so it only tells that there is more.
    return { rows: data, hasMore: data.length > 0 && (data.length >= PAGE_SIZE || Boolean(links?.next)) };
  }

  return {
    /** The resource; undefined if it does not exist (404). */
    async get<T>(schema: z.ZodType<T>, path: string, signal: AbortSignal): Promise<T | undefined> {
      const answer = await send('GET', path, signal);
      if (answer.status === 404) return undefined;
      requireOk(answer, `GET ${path}`);
      return parse(z.object({ data: schema }), answer.body, `GET ${path}`).data;
    },
    readPage,
    /**
     * The records of all pages. Without a sort, RD's order may differ from page to page: if a record was there twice, another is
     * missing, and the pages are read again.
     */
    async readAll<T>(schema: z.ZodType<T>, path: string, query: Query, signal: AbortSignal): Promise<T[]> {
      const found = new Map<string, T>();
      for (let pass = 1, isComplete = false; !isComplete && pass <= MAX_PASSES; pass++) {
        let count = 0;
        for (let page = 1, hasMore = true; hasMore && page <= MAX_PAGES; page++) {
          const read = await readPage(path, { ...query, 'page[number]': String(page) }, signal);
          for (const row of parse(z.array(schema), read.rows, `GET ${path}`))
            found.set(JSON.stringify(row), row);
          count += read.rows.length;
          hasMore = read.hasMore;
        }
        isComplete = found.size >= count;
      }
      return [...found.values()];
    },
    /** Returns the resource. Throws `CrmRecordGone` for a 404 of an update, `CrmRejected` for other 4xx. */
    async write(method: 'POST' | 'PUT', path: string, data: Data, signal: AbortSignal): Promise<unknown> {
      const answer = await send(method, path, signal, { data });
      if (answer.status === 404 && method === 'PUT') throw recordGone();
      if (answer.status >= 400) throw new CrmRejected(reasonOf(answer));
      return parse(z.object({ data: z.unknown() }), answer.body, `${method} ${path}`).data;
    },
    /** A resource that is gone is no error. */
    async delete(path: string, signal: AbortSignal): Promise<void> {
      const answer = await send('DELETE', path, signal);
      if (answer.status !== 404) requireOk(answer, `DELETE ${path}`);
    },
  };
}

export const recordGone = () => new CrmRecordGone('The record is not in RD Station CRM.');

const pageSchema = z.object({
  data: z.array(z.unknown()),
  links: z.object({ next: z.string().nullish() }).nullish(),
});

/** Throws `CrmUnreachable` if the value does not match. */
export function parse<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new CrmUnreachable(`RD Station CRM ${where}: unexpected response format`);
}

function requireOk(answer: CrmResponse, where: string): void {
  if (answer.status >= 300) throw new CrmUnreachable(`RD Station CRM ${where}: ${reasonOf(answer)}`);
}

const words = z.string().nullish().catch(undefined);
const errorSchema = z.object({ detail: words, message: words, error_message: words, title: words });
const errorsSchema = z.object({ errors: z.array(errorSchema) });

/** RD's words as one line. */
function reasonOf({ status, body }: CrmResponse): string {
  const errors = errorsSchema.safeParse(body).data?.errors ?? [];
  const reasons = errors.map((error) => error.detail ?? error.message ?? error.error_message ?? error.title);
  const line = reasons.filter(Boolean).join('; ').replace(/\s+/g, ' ').trim();
  return (line || `status ${status}`).slice(0, MAX_REASON_LENGTH);
}
