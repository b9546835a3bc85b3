// Requests to Pipedrive.
import type { z } from 'zod';
import { createCrmClient, type Pace, type Query } from '../client.ts';
import type { ConnectOptions } from '../crm.ts';
import type { CrmResponse } from '../crm-http.ts';
import { CrmBusy, CrmCredentialsRejected } from '../errors.ts';
import { listOf } from '../wire.ts';
import * as facts from './facts.ts';
import { responseOf } from './wire.ts';

export interface ListPage<T> {
  items: T[];
  /** Null after the last page. */
  next: string | null;
}

export type PipedriveClient = ReturnType<typeof createPipedriveClient>;

export function createPipedriveClient({ credentials, addresses, http }: ConnectOptions) {
  const token = credentials.api_token ?? '';
  const client = createCrmClient({
    title: 'Pipedrive',
    baseUrl: addresses.PIPEDRIVE_URL || `https://${credentials.domain}.pipedrive.com`,
    secret: token,
    async send(request) {
      const headers = { [facts.TOKEN_HEADER]: token };
      const answer = await http({ ...request, headers }).catch((error: unknown) => {
        const isAnswered = error instanceof CrmCredentialsRejected || error instanceof CrmBusy;
        throw isAnswered && error.response ? limitOf(error.response, error) : error;
      });
      if (answer.status !== 402) return answer;
      throw new CrmCredentialsRejected('The Pipedrive account of this company is not open (status 402).');
    },
  });

  /** A page of a list of v2. */
  async function list<T>(item: z.ZodType<T>, path: string, query: Query): Promise<ListPage<T>> {
    const limited = { limit: facts.PAGE_SIZE, ...query };
    const response = responseOf(listOf(item));
    const isOptional = facts.OPTIONAL_PATHS.includes(path);
    const page = await (isOptional
      ? client.find(response, path, limited)
      : client.get(response, path, limited));
    return { items: page?.data ?? [], next: page?.additional_data?.next_cursor || null };
  }

  /** `data` of a response; undefined if nothing has this path. */
  const findData = async <T>(data: z.ZodType<T>, path: string): Promise<T | undefined> =>
    (await client.find(responseOf(data), path))?.data;

  return {
    ...client,
    findData,
    /** `data` of a response. */
    async read<T>(data: z.ZodType<T>, path: string, query?: Query, pace?: Pace): Promise<T> {
      return (await client.get(responseOf(data), path, query, pace)).data;
    },
    list,
    async listAll<T>(item: z.ZodType<T>, path: string): Promise<T[]> {
      const items: T[] = [];
      let page: ListPage<T> = { items, next: null };
      do {
        page = await list(item, path, { cursor: page.next });
        items.push(...page.items);
      } while (page.next !== null);
      return items;
    },
    /** Those that exist, in any order. A single deleted one is included. */
    async byIds<T extends { id: string }>(
      item: z.ZodType<T>,
      path: string,
      wanted: Iterable<string>,
    ): Promise<T[]> {
      const ids = [...wanted].filter((id) => /^\d+$/.test(id));
      // A single record costs a tenth of a list.
      if (ids.length === 1) {
        const one = await findData(item, `${path}/${ids[0]}`);
        return one === undefined ? [] : [one];
      }
      const items: T[] = [];
      for (let at = 0; at < ids.length; at += facts.IDS_PER_REQUEST) {
        const part = ids.slice(at, at + facts.IDS_PER_REQUEST);
        const query = { ids: part.join(','), limit: part.length };
        let page = await list(item, path, query);
        items.push(...page.items);
        const isFound = (id: string) => items.some((found) => found.id === id);
        // Until a page has others, as that of a server that ignores `ids`.
        while (
          page.next !== null &&
          !part.every(isFound) &&
          page.items.every(({ id }) => part.includes(id))
        ) {
          page = await list(item, path, { ...query, cursor: page.next });
          items.push(...page.items);
        }
      }
      return items;
    },
    /** `data` of the response. */
    async save<T>(data: z.ZodType<T>, method: 'POST' | 'PATCH', path: string, body: unknown): Promise<T> {
      return (await client.write(responseOf(data), method, path, body)).data;
    },
  };
}

/** A page for addresses that sent too many requests. */
const isBlocked = ({ body }: CrmResponse): boolean =>
  typeof body === 'string' && body.includes(facts.BLOCK_PAGE);

/** Waits until the day's budget starts again if it is used up. */
function limitOf(response: CrmResponse, error: unknown): unknown {
  if (isBlocked(response)) return new CrmBusy('Pipedrive: blocked because of too many requests');
  if (!(error instanceof CrmBusy)) return error;
  const isLow = Object.entries(facts.BUDGET_HEADERS).some(([name, needed]) => {
    const left = response.headers.get(name);
    return left && /^\d+$/.test(left) && Number(left) < needed;
  });
  return isLow || facts.BUDGET_MESSAGE.test(JSON.stringify(response.body))
    ? new CrmBusy('Pipedrive: the daily API budget is used up', facts.secondsUntilReset(Date.now()))
    : error;
}
