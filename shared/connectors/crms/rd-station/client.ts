// Requests to RD Station CRM: access token, envelopes and pages.
import { z } from 'zod';
import { createCrmClient, type Query } from '../client.ts';
import type { ConnectOptions } from '../crm.ts';
import { createAuthorization, createTokenHttp } from '../oauth.ts';
import { AUTHORIZE_URL, OPTIONAL_PATHS, PAGE_SIZE, TOKEN_URL } from './facts.ts';

const TITLE = 'RD Station CRM';
/** More pages of users, fields or webhooks would be a loop. */
const MAX_PAGES = 100;
const MAX_PASSES = 10;

export const authorization = createAuthorization({
  ...{ title: TITLE, tokenSetting: 'RD_STATION_TOKEN_URL' },
  ...{ authorizeUrl: AUTHORIZE_URL, tokenUrl: TOKEN_URL },
});

const linksSchema = z.object({ next: z.string().nullish() }).nullish();

export type Data = Readonly<Record<string, unknown>>;
export type RdClient = ReturnType<typeof createRdClient>;

export function createRdClient(options: ConnectOptions) {
  const client = createCrmClient({
    ...{ title: TITLE, baseUrl: options.addresses.RD_STATION_URL },
    send: createTokenHttp(authorization, options),
  });

  async function readPage<T>(schema: z.ZodType<T>, path: string, query: Query) {
    const sized = { 'page[size]': PAGE_SIZE, ...query };
    const read = OPTIONAL_PATHS.includes(path) ? client.find : client.get;
    const pageSchema = z.object({ data: z.array(schema), links: linksSchema });
    const { data: records, links } = (await read(pageSchema, path, sized)) ?? { data: [] };
    // `links.next` names an address that does not exist, so it only tells that there is more.
    const hasMore = records.length > 0 && (records.length >= PAGE_SIZE || Boolean(links?.next));
    return { records, hasMore };
  }

  return {
    remove: client.remove,
    /** The resource; undefined if it does not exist. */
    async find<T>(schema: z.ZodType<T>, path: string): Promise<T | undefined> {
      return (await client.find(z.object({ data: schema }), path))?.data;
    },
    readPage,
    /**
     * The records of all pages. RD's order may differ from page to page: if a record was there twice, another is missing, and the pages
     * are read again. No sort is sent: RD does not document one for each list.
     */
    async readAll<T>(schema: z.ZodType<T>, path: string, query: Query = {}): Promise<T[]> {
      const found = new Map<string, T>();
      for (let pass = 1, isComplete = false; !isComplete && pass <= MAX_PASSES; pass++) {
        let count = 0;
        for (let page = 1, hasMore = true; hasMore && page <= MAX_PAGES; page++) {
          const read = await readPage(schema, path, { ...query, 'page[number]': page });
          for (const record of read.records) found.set(JSON.stringify(record), record);
          count += read.records.length;
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
