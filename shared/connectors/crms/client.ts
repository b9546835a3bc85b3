// Requests of a connected account: the format of responses, and errors in the CRM's own words.
import type { z } from 'zod';
import type { CrmHttp, CrmRequest, CrmResponse } from './crm-http.ts';
import {
  CrmCredentialsRejected,
  CrmRecordGone,
  CrmRejected,
  CrmUnreachable,
  CrmUnreadable,
} from './errors.ts';

const MAX_WORDS_LENGTH = 300;

/** Parameters without a value are left out. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

interface ClientOptions {
  title: string;
  /** The base URL of all paths. */
  baseUrl: string | undefined;
  /** Sends a request with its authentication. */
  send: CrmHttp;
  /** Is masked in the CRM's words. */
  secret?: string | undefined;
}

export type CrmClient = ReturnType<typeof createCrmClient>;

/** All methods throw like `CrmHttp`. */
export function createCrmClient({ title, baseUrl = '', send, secret }: ClientOptions) {
  const base = baseUrl.replace(/\/+$/, '');

  function call(method: CrmRequest['method'], path: string, others: Partial<CrmRequest> = {}) {
    return send({ method, url: base + path, ...others });
  }

  /** Like `call`. A change that the plan or the user's rights exclude (403) is rejected, and the credentials are good. */
  const change = (method: CrmRequest['method'], path: string, others?: Partial<CrmRequest>) =>
    call(method, path, others).catch((error: unknown) => {
      if (error instanceof CrmCredentialsRejected && error.response?.status === 403) return error.response;
      throw error;
    });

  /** The CRM's words in one line. */
  function wordsOf({ status, body }: CrmResponse): string {
    const line = wordsIn(body).join('; ').replace(/\s+/g, ' ').trim() || `status ${status}`;
    return (secret ? line.replaceAll(secret, '***') : line).slice(0, MAX_WORDS_LENGTH);
  }

  function parse<T>(schema: z.ZodType<T>, body: unknown, where: string): T {
    const parsed = schema.safeParse(body);
    if (parsed.success) return parsed.data;
    // Such as the page of a proxy.
    if (typeof body === 'string') throw new CrmUnreachable(`${title} ${where}: no JSON`);
    const member = parsed.error.issues[0]?.path.join('.') || 'body';
    throw new CrmUnreadable(`${title} ${where}: unexpected format of ${member}`);
  }

  function read<T>(schema: z.ZodType<T>, answer: CrmResponse, where: string): T {
    if (!isSuccess(answer)) throw new CrmUnreadable(`${title} ${where}: ${wordsOf(answer)}`);
    return parse(schema, answer.body, where);
  }

  return {
    /** Throws `CrmUnreadable` for other statuses than 2xx, and for another format. */
    async get<T>(schema: z.ZodType<T>, path: string, query: Query = {}, pace: Pace = {}): Promise<T> {
      return read(schema, await call('GET', withQuery(path, query), pace), `GET ${path}`);
    },
    /** Like `get`; undefined if nothing has this path (404). */
    async find<T>(schema: z.ZodType<T>, path: string, query: Query = {}): Promise<T | undefined> {
      const answer = await call('GET', withQuery(path, query));
      return answer.status === 404 ? undefined : read(schema, answer, `GET ${path}`);
    },
    /** Like `get`, for reads that are asked with a body. */
    async query<T>(schema: z.ZodType<T>, path: string, body: unknown, pace: Pace = {}): Promise<T> {
      return read(schema, await call('POST', path, { body, ...pace }), `POST ${path}`);
    },
    /** Throws `CrmRejected` with the CRM's words, and `CrmRecordGone` for a 404 of a change. With another format, it may have been done. */
    async write<T>(
      schema: z.ZodType<T>,
      method: 'POST' | 'PUT' | 'PATCH',
      path: string,
      body: unknown,
    ): Promise<T> {
      const answer = await change(method, path, { body });
      if (answer.status === 404 && method !== 'POST') throw new CrmRecordGone(`${title} has no such record.`);
      if (!isSuccess(answer)) throw new CrmRejected(wordsOf(answer));
      const saved = schema.safeParse(answer.body);
      if (!saved.success) throw new CrmUnreachable(`${title} ${method} ${path}: unexpected format`);
      return saved.data;
    },
    /** What is gone is no error. Throws `CrmRejected` with the CRM's words. */
    async remove(path: string): Promise<void> {
      const answer = await change('DELETE', path);
      if (!isSuccess(answer) && answer.status !== 404) throw new CrmRejected(wordsOf(answer));
    },
  };
}

/** Members of errors with words, the most helpful first. */
const WORDS = ['error', 'detail', 'message', 'error_message', 'title'];

/** What the body of an error says: in these members of its own, or else in its list of errors or its errors by field. */
function wordsIn(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return [];
  const members = new Map<string, unknown>(Object.entries(body));
  const isWords = (value: unknown) => typeof value === 'string' && value.trim() !== '';
  const words = WORDS.map((name) => members.get(name)).find(isWords);
  if (words !== undefined) return [String(words)];
  const errors = members.get('errors') ?? {};
  if (Array.isArray(errors)) return errors.flatMap(wordsIn);
  return Object.entries(errors).map(([name, each]) => `${name}: ${each}`);
}

export type Pace = Pick<CrmRequest, 'intervalMs'>;

const isSuccess = ({ status }: CrmResponse): boolean => status >= 200 && status < 300;

function withQuery(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value != null) parameters.set(name, String(value));
  return parameters.size ? `${path}?${parameters}` : path;
}
