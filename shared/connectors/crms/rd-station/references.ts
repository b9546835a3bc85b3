// Names of organizations and lost reasons, which records refer to by id. They are kept as long as the connection.
import { z } from 'zod';
import { parse, type RdClient } from './client.ts';
import { namedSchema } from './schemas.ts';

/** If more names are missing, lists of 100 organizations are read first. */
const MAX_SINGLE = 5;
const MAX_LISTS = 20;

export function createOrganizations(client: RdClient) {
  const names = new Map<string, string | null>();
  let listsRead = 0;
  return {
    /** Name by id, null if it does not exist. Lacks unknown names that would need more than `maxRequests` for single ones. */
    async load(
      ids: readonly string[],
      maxRequests: number,
      signal: AbortSignal,
    ): Promise<ReadonlyMap<string, string | null>> {
      const missing = () => [...new Set(ids)].filter((id) => !names.has(id));
      while (listsRead < MAX_LISTS && missing().length > MAX_SINGLE) {
        listsRead++;
        const query = { 'sort[updated_at]': 'desc', 'page[number]': String(listsRead) };
        const { rows, hasMore } = await client.readPage('/organizations', query, signal);
        for (const { id, name } of parse(z.array(namedSchema), rows, 'organizations')) names.set(id, name);
        if (!hasMore) listsRead = MAX_LISTS;
      }
      for (const id of missing().slice(0, maxRequests)) {
        const found = await client.get(namedSchema, `/organizations/${encodeURIComponent(id)}`, signal);
        names.set(id, found?.name ?? null);
      }
      return names;
    },
  };
}

export function createLostReasons(client: RdClient) {
  let names: ReadonlyMap<string, string | null> | undefined;
  async function read(signal: AbortSignal) {
    const reasons = await client.readAll(namedSchema, '/lost_reasons', { 'sort[name]': 'asc' }, signal);
    return new Map(reasons.map(({ id, name }) => [id, name]));
  }
  return {
    async nameOf(id: string | null, signal: AbortSignal): Promise<string | null> {
      if (id === null) return null;
      names ??= await read(signal);
      // It may have been added since. If it was deleted, the list is not read for it again.
      if (!names.has(id)) names = new Map([[id, null], ...(await read(signal))]);
      return names.get(id) ?? null;
    },
    /** Undefined if there is none of this name. */
    async idOf(name: string, signal: AbortSignal): Promise<string | undefined> {
      names = await read(signal);
      return [...names].find(([, other]) => other?.toLowerCase() === name.trim().toLowerCase())?.[0];
    },
  };
}
