// Calls of Asaas' API v3: its errors by code, its lists in pages.
import { z } from 'zod';
import { ProviderOutcomeUnknown, ProviderRejected } from '../provider.ts';
import { createVendorClient, type VendorAnswer } from '../vendor-http.ts';

/** Asaas said no. Descriptions are Portuguese sentences for people; programs look at status and codes. */
export class AsaasRefusal extends ProviderRejected {
  override readonly name = 'AsaasRefusal';
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
  /** Of the next page; undefined on the last one. */
  nextOffset: number | undefined;
}

export interface AsaasClient {
  /** What is there; undefined where there is no such thing. */
  get<T>(path: string, schema: z.ZodType<T>, signal: AbortSignal): Promise<T | undefined>;
  /** One request, once. Throws `AsaasRefusal` where it says no. */
  send<T>(call: Sending, schema: z.ZodType<T>, signal: AbortSignal): Promise<T>;
  page<T>(
    path: string,
    query: Query & { offset: number },
    schema: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<AsaasPage<T>>;
  /** The items of all pages, as far as they are taken. */
  list<T>(path: string, query: Query, schema: z.ZodType<T>, signal: AbortSignal): AsyncGenerator<T>;
}

interface Sending {
  method: 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: unknown;
}

/** The most that a list gives at once. */
const PAGE_SIZE = 100;

export function createAsaasClient(baseUrl: string, key: string): AsaasClient {
  const vendor = createVendorClient('Asaas', {
    baseUrl,
    headers: { access_token: key, 'User-Agent': 'Placar' },
  });

  const client: AsaasClient = {
    async get(path, schema, signal) {
      const answer = await vendor.call({ method: 'GET', path }, signal);
      if (answer.status === 404) return undefined;
      return understood(answer, schema, `GET ${path}`);
    },
    async send(call, schema, signal) {
      return understood(await vendor.call(call, signal), schema, `${call.method} ${call.path}`);
    },
    async page(path, query, item, signal) {
      const address = `${path}?${queryString({ ...query, limit: PAGE_SIZE })}`;
      const schema = z.object({
        data: z.array(item),
        hasMore: z.boolean().nullish(),
        offset: z.number().nullish(),
      });
      const answer = await vendor.call({ method: 'GET', path: address }, signal);
      const { data, hasMore, offset } = understood(answer, schema, `GET ${path}`);
      // Pages of some lists are not documented. Without them nobody knows what is not there.
      if (typeof offset === 'number' && offset !== query.offset)
        throw new ProviderOutcomeUnknown(`Asaas GET ${path}: another page than asked for`);
      return { items: data, nextOffset: hasMore && data.length > 0 ? query.offset + data.length : undefined };
    },
    async *list(path, query, item, signal) {
      let offset: number | undefined = 0;
      while (offset !== undefined) {
        const page: AsaasPage<z.infer<typeof item>> = await client.page(
          path,
          { ...query, offset },
          item,
          signal,
        );
        yield* page.items;
        offset = page.nextOffset;
      }
    },
  };
  return client;
}

/** An id as part of a path; ids are opaque text. */
export const segment = encodeURIComponent;

function queryString(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return new URLSearchParams(given).toString();
}

/** The answer's content. One that is none of those documented says nothing of what was done. */
function understood<T>({ status, body }: VendorAnswer, schema: z.ZodType<T>, where: string): T {
  if (status >= 400) throw refusal(status, body);
  const parsed = schema.safeParse(body);
  if (!parsed.success)
    throw new ProviderOutcomeUnknown(`Asaas ${where.replace(/\?.*/, '')}: an answer that is not understood`, {
      cause: parsed.error,
    });
  return parsed.data;
}

const errors = z.object({
  errors: z.array(z.object({ code: z.string().nullish(), description: z.string().nullish() })),
});

function refusal(status: number, body: unknown): AsaasRefusal {
  const said = errors.safeParse(body).data?.errors ?? [];
  const words = said.flatMap(({ description }) => description ?? []).join(' ');
  const codes = said.flatMap(({ code }) => code ?? []);
  return new AsaasRefusal(
    status,
    codes,
    words || (WITHOUT_WORDS[status] ?? `Asaas answered with status ${status}.`),
  );
}

const WITHOUT_WORDS: Record<number, string> = {
  403: 'Asaas refuses calls from this address: its list of allowed addresses must be empty.',
  404: 'Asaas has no such thing.',
};
