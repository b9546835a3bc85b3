// Client for Asaas' API v3: pagination, and what a rejection says. `provider-http.ts` throws `ProviderKeyRejected` after 401, `ProviderBusy`
// after 429, and `ProviderOutcomeUnknown` after 408, 425, 5xx and without a response.
import { z } from 'zod';
import { ProviderOutcomeUnknown, ProviderRejected } from '../errors.ts';
import { createProviderCaller, type ProviderResponse } from '../provider-http.ts';

/** Asaas rejected a request. The message is Portuguese text; code should use `status` and `codes`. */
export class AsaasRejected extends ProviderRejected {
  override readonly name = 'AsaasRejected';
  readonly status: number;
  readonly codes: readonly string[];

  constructor(status: number, codes: readonly string[], message: string) {
    super(message);
    this.status = status;
    this.codes = codes;
  }
}

type Query = Record<string, string | number | undefined>;

export interface AsaasPage<T> {
  items: T[];
  /** Offset of the next page. Undefined on the last page. */
  nextOffset: number | undefined;
}

/** The client of one operation, whose requests end with the signal of the operation. */
export interface AsaasClient {
  signal: AbortSignal;
  /** Reads a resource. Returns undefined for 404. */
  get<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined>;
  /** Sends a request exactly once. Throws `AsaasRejected` if Asaas rejects it. */
  send<T>(call: Sending, schema: z.ZodType<T>): Promise<T>;
  page<T>(path: string, query: Query & { offset: number }, schema: z.ZodType<T>): Promise<AsaasPage<T>>;
  /** Yields the items of all pages, fetching pages on demand. */
  list<T>(path: string, query: Query, schema: z.ZodType<T>): AsyncGenerator<T>;
}

/** Returns the client of an operation. */
export type AsaasClients = (signal: AbortSignal) => AsaasClient;

interface Sending {
  method: 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: unknown;
}

/** Asaas' maximum page size. */
const PAGE_SIZE = 100;

export function createAsaasClients(baseUrl: string, key: string): AsaasClients {
  const callAsaas = createProviderCaller('Asaas', {
    baseUrl,
    headers: { access_token: key, 'User-Agent': 'Placar' },
  });

  return (signal) => ({
    signal,
    async get(path, schema) {
      const answer = await callAsaas({ method: 'GET', path }, signal);
      if (answer.status === 404) return undefined;
      return parseResponse(answer, schema, `GET ${path}`);
    },
    async send(call, schema) {
      return parseResponse(await callAsaas(call, signal), schema, `${call.method} ${call.path}`);
    },
    async page(path, query, item) {
      const address = `${path}?${queryString({ ...query, limit: PAGE_SIZE })}`;
      const schema = z.object({
        data: z.array(item),
        hasMore: z.boolean().nullish(),
        offset: z.number().nullish(),
      });
      const answer = await callAsaas({ method: 'GET', path: address }, signal);
      const { data, hasMore, offset } = parseResponse(answer, schema, `GET ${path}`);
      // Pagination of some lists is undocumented. If Asaas ignores the offset, a missing item proves nothing.
      if (typeof offset === 'number' && offset !== query.offset)
        throw new ProviderOutcomeUnknown(`Asaas GET ${path}: returned a different page than requested`);
      return { items: data, nextOffset: hasMore && data.length > 0 ? query.offset + data.length : undefined };
    },
    async *list(path, query, item) {
      let offset: number | undefined = 0;
      while (offset !== undefined) {
        const page: AsaasPage<z.infer<typeof item>> = await this.page(path, { ...query, offset }, item);
        yield* page.items;
        offset = page.nextOffset;
      }
    },
  });
}

/** Encodes an id as a path segment. */
export const segment = encodeURIComponent;

function queryString(query: Query): string {
  const entries = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return new URLSearchParams(entries).toString();
}

/** Parses a response. An undocumented response leaves the outcome unknown. */
function parseResponse<T>({ status, body }: ProviderResponse, schema: z.ZodType<T>, where: string): T {
  if (status >= 400) throw refusal(status, body);
  const parsed = schema.safeParse(body);
  if (!parsed.success)
    throw new ProviderOutcomeUnknown(`Asaas ${where.replace(/\?.*/, '')}: unexpected response`, {
      cause: parsed.error,
    });
  return parsed.data;
}

const errors = z.object({
  errors: z.array(z.object({ code: z.string().nullish(), description: z.string().nullish() })),
});

function refusal(status: number, body: unknown): AsaasRejected {
  const said = errors.safeParse(body).data?.errors ?? [];
  const words = said.flatMap(({ description }) => description ?? []).join('; ');
  const codes = said.flatMap(({ code }) => code ?? []);
  return new AsaasRejected(
    status,
    codes,
    words || (DEFAULT_MESSAGES[status] ?? `Asaas responded with status ${status}.`),
  );
}

const DEFAULT_MESSAGES: Record<number, string> = {
  403: 'Asaas rejects requests from this IP address. Clear the list of allowed IP addresses in Asaas.',
  404: 'The resource does not exist at Asaas.',
};
