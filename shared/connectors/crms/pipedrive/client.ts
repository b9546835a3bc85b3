// Pipedrive API client for one account: URLs, authentication, response parsing and error messages.
import { z } from 'zod';
import type { ConnectOptions } from '../crm.ts';
import type { CrmRequest, CrmResponse } from '../crm-http.ts';
import { CrmBusy, CrmCredentialsRejected, CrmRecordGone, CrmRejected, CrmUnreachable } from '../errors.ts';
import * as facts from './facts.ts';
import { listOf, responseOf } from './wire.ts';

const MAX_MESSAGE_LENGTH = 300;

export type Query = Readonly<Record<string, string | number | boolean | null>>;

export interface ListPage<T> {
  items: T[];
  /** Null after the last page. */
  next: string | null;
}

/** Requests of one call of a connection, which `signal` ends. Throws like `CrmHttp`. */
export class PipedriveClient {
  readonly #options: ConnectOptions;
  readonly #signal: AbortSignal;

  constructor(options: ConnectOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** `data` of a response. Undefined if nothing has this path (status 404). */
  async read<T>(
    data: z.ZodType<T>,
    path: string,
    query: Query = {},
    pace: Pick<CrmRequest, 'intervalMs'> = {},
  ) {
    const request = { method: 'GET', url: withQuery(path, query), ...pace } as const;
    return (await this.#get(responseOf(data), request))?.data;
  }

  /** A page of a list of v2. */
  async list<T>(item: z.ZodType<T>, path: string, query: Query): Promise<ListPage<T>> {
    const url = withQuery(path, { limit: facts.PAGE_SIZE, ...query });
    const page = await this.#get(responseOf(listOf(item)), { method: 'GET', url });
    if (page) return { items: page.data, next: page.additional_data?.next_cursor || null };
    if (path === facts.paths.archivedDeals) return { items: [], next: null };
    throw new CrmUnreachable(`Pipedrive GET ${path}: status 404`);
  }

  async listAll<T>(item: z.ZodType<T>, path: string): Promise<T[]> {
    const items: T[] = [];
    let page: ListPage<T> = { items, next: null };
    do {
      page = await this.list(item, path, { cursor: page.next });
      items.push(...page.items);
    } while (page.next !== null);
    return items;
  }

  /** Those that exist, in any order. A single deleted one is included. */
  async byIds<T>(item: z.ZodType<T>, path: string, wanted: Iterable<string>): Promise<T[]> {
    const ids = [...wanted].filter((id) => /^\d+$/.test(id));
    // A single record costs a tenth of a list.
    if (ids.length === 1 && path !== facts.paths.archivedDeals) {
      const one = await this.read(item, `${path}/${ids[0]}`);
      return one === undefined ? [] : [one];
    }
    const items: T[] = [];
    for (let at = 0; at < ids.length; at += facts.IDS_PER_REQUEST) {
      const part = ids.slice(at, at + facts.IDS_PER_REQUEST);
      items.push(...(await this.list(item, path, { ids: part.join(','), limit: part.length })).items);
    }
    return items;
  }

  /** `data` of the response. Throws `CrmRejected` with Pipedrive's message, and `CrmRecordGone` if a PATCH request finds nothing. */
  async write<T>(data: z.ZodType<T>, method: 'POST' | 'PATCH', path: string, body: unknown): Promise<T> {
    const request = { method, url: path, body };
    return this.#parse(responseOf(data), request, await this.#change(request)).data;
  }

  /** Throws like `write`. */
  async remove(path: string): Promise<void> {
    await this.#change({ method: 'DELETE', url: path });
  }

  async #get<T>(schema: z.ZodType<T>, request: CrmRequest): Promise<T | undefined> {
    const answer = await this.#call(request);
    if (answer.status === 404) return undefined;
    if (answer.status < 300) return this.#parse(schema, request, answer);
    throw new CrmUnreachable(`Pipedrive ${nameOf(request)}: ${this.#wordsOf(answer)}`);
  }

  async #change(request: CrmRequest): Promise<CrmResponse> {
    const answer = await this.#call(request).catch((error) => {
      // Pipedrive also answers 403 for a change that the plan or the user's rights exclude.
      if (!(error instanceof CrmCredentialsRejected) || error.response?.status !== 403) throw error;
      return error.response;
    });
    if (answer.status < 300) return answer;
    if (answer.status === 404 && request.method !== 'POST')
      throw new CrmRecordGone(`Pipedrive ${nameOf(request)}: not found`);
    throw new CrmRejected(this.#wordsOf(answer));
  }

  async #call(request: CrmRequest): Promise<CrmResponse> {
    const { credentials, addresses, http } = this.#options;
    const origin = addresses.PIPEDRIVE_URL || `https://${credentials.domain}.pipedrive.com`;
    const url = `${origin.replace(/\/+$/, '')}${request.url}`;
    const headers = { [facts.TOKEN_HEADER]: credentials.api_token ?? '' };
    const answer = await http({ ...request, url, headers }, this.#signal).catch(rethrow);
    if (answer.status !== 402) return answer;
    throw new CrmCredentialsRejected('The Pipedrive account of this company is not open (status 402).');
  }

  #parse<T>(schema: z.ZodType<T>, request: CrmRequest, { body }: CrmResponse): T {
    const result = schema.safeParse(body);
    if (result.success) return result.data;
    throw new CrmUnreachable(`Pipedrive ${nameOf(request)}: unexpected response format`);
  }

  /** Pipedrive's message as one line. */
  #wordsOf({ status, body }: CrmResponse): string {
    const { error, message, errors } = errorSchema.catch({ error: '', message: '', errors: {} }).parse(body);
    const ofMembers = Object.entries(errors).map(([name, each]) => `${name}: ${each}`);
    const words = error || message || ofMembers.join('; ') || `status ${status}`;
    const token = this.#options.credentials.api_token || '\n';
    return words.replaceAll(token, '***').replace(/\s+/g, ' ').trim().slice(0, MAX_MESSAGE_LENGTH);
  }
}

/** Webhooks have the other two: a message, or lists of messages by member. */
const errorSchema = z.object({
  error: z.string().catch(''),
  message: z.string().catch(''),
  errors: z.record(z.string(), z.unknown()).catch({}),
});

/** Without its query, which can contain email addresses. */
const nameOf = ({ method, url }: CrmRequest): string => `${method} ${url.replace(/\?.*/, '')}`;

function withQuery(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== null) parameters.set(name, String(value));
  return parameters.size ? `${path}?${parameters}` : path;
}

/** Waits until the day's budget starts again, and for blocks of addresses that sent too many requests. */
function rethrow(error: unknown): never {
  const isRejection = error instanceof CrmCredentialsRejected;
  const { headers, body } = (isRejection || error instanceof CrmBusy ? error.response : undefined) ?? {};
  if (isRejection && typeof body === 'string' && body.includes(facts.BLOCK_PAGE))
    throw new CrmBusy('Pipedrive: blocked because of too many requests');
  if (!(error instanceof CrmBusy)) throw error;
  const isLow = Object.entries(facts.BUDGET_HEADERS).some(([name, needed]) => {
    const left = headers?.get(name);
    return left && /^\d+$/.test(left) && Number(left) < needed;
  });
  if (!isLow && !facts.BUDGET_MESSAGE.test(JSON.stringify(body))) throw error;
  throw new CrmBusy('Pipedrive: the daily API budget is used up', facts.secondsUntilReset(Date.now()));
}
