// Requests to RD Station CRM: access token, envelopes and pages.
import { z } from 'zod';
import { createCrmClient, type Query } from '../client.ts';
import type { ConnectOptions } from '../crm.ts';
import type { CrmRequest } from '../crm-http.ts';
import { CrmCredentialsRejected } from '../errors.ts';
import { createAuthorization } from '../oauth.ts';
import { AUTHORIZE_URL, OPTIONAL_PATHS, PAGE_SIZE, TOKEN_URL } from './facts.ts';

const TITLE = 'RD Station CRM';
/** More pages of users, fields or webhooks would be a loop. */
const MAX_PAGES = 100;
const MAX_PASSES = 10;

export const authorization = createAuthorization({
  ...{ title: TITLE, tokenSetting: 'RD_STATION_TOKEN_URL' },
  ...{ authorizeUrl: AUTHORIZE_URL, tokenUrl: TOKEN_URL },
});

export type Data = Readonly<Record<string, unknown>>;
export type RdClient = ReturnType<typeof createRdClient>;

export function createRdClient(options: ConnectOptions) {
  const accessToken = (rejected?: string) =>
    options.tokens.accessToken((refreshToken) => authorization.refresh(refreshToken, options), rejected);
  const sendWith = (token: string, request: CrmRequest) =>
    options.http({ ...request, headers: { Authorization: `Bearer ${token}` } });
  const client = createCrmClient({
    ...{ title: TITLE, baseUrl: options.addresses.RD_STATION_URL, wordsIn },
    async send(request) {
      const token = await accessToken();
      return await sendWith(token, request).catch(async (error: unknown) => {
        const isExpired = error instanceof CrmCredentialsRejected && error.response?.status === 401;
        if (!isExpired) throw error;
        return await sendWith(await accessToken(token), request);
      });
    },
  });

  async function readPage(path: string, query: Query) {
    const sized = { 'page[size]': PAGE_SIZE, ...query };
    const isOptional = OPTIONAL_PATHS.includes(path);
    const page = await (isOptional
      ? client.find(pageSchema, path, sized)
      : client.get(pageSchema, path, sized));
    const { data, links } = page ?? { data: [] };
    // `links.next` names an address that does not exist, so it only tells that there is more.
    return { rows: data, hasMore: data.length > 0 && (data.length >= PAGE_SIZE || Boolean(links?.next)) };
  }

  return {
    parse: client.parse,
    remove: client.remove,
    /** The resource; undefined if it does not exist. */
    async find<T>(schema: z.ZodType<T>, path: string): Promise<T | undefined> {
      return (await client.find(z.object({ data: schema }), path))?.data;
    },
    readPage,
    /**
     * The records of all pages. Without a sort, RD's order may differ from page to page: if a record was there twice, another is
     * missing, and the pages are read again.
     */
    async readAll<T>(schema: z.ZodType<T>, path: string, query: Query = {}): Promise<T[]> {
      const found = new Map<string, T>();
      for (let pass = 1, isComplete = false; !isComplete && pass <= MAX_PASSES; pass++) {
        let count = 0;
        for (let page = 1, hasMore = true; hasMore && page <= MAX_PAGES; page++) {
          const read = await readPage(path, { ...query, 'page[number]': page });
          for (const row of client.parse(z.array(schema), read.rows, `GET ${path}`))
            found.set(JSON.stringify(row), row);
          count += read.rows.length;
          hasMore = read.hasMore;
        }
        isComplete = found.size >= count;
      }
      return [...found.values()];
    },
    /** Returns the resource. */
    async write<T>(schema: z.ZodType<T>, method: 'POST' | 'PUT', path: string, data: Data): Promise<T> {
      return (await client.write(z.object({ data: schema }), method, path, { data })).data;
    },
  };
}

const pageSchema = z.object({
  data: z.array(z.unknown()),
  links: z.object({ next: z.string().nullish() }).nullish(),
});

const words = z.string().nullish().catch(undefined);
const errorSchema = z.object({ detail: words, message: words, error_message: words, title: words });
const errorsSchema = z.object({ errors: z.array(errorSchema) });

const wordsIn = (body: unknown): readonly unknown[] =>
  (errorsSchema.safeParse(body).data?.errors ?? []).map(
    ({ detail, message, error_message, title }) => detail ?? message ?? error_message ?? title,
  );
