// Names of organizations and lost reasons, which records refer to by id. They are kept as long as the connection.
import { z } from 'zod';
import { named } from '../wire.ts';
import type { RdClient } from './client.ts';
import { rdqlTime } from './facts.ts';
import type { Contact } from './schemas.ts';

/** If more names are missing, lists of organizations are read first, as long as each list has as many of them. */
const MIN_PER_LIST = 5;
/** Organizations are often created shortly before their contacts. */
const CREATED_BEFORE_MS = 3_600_000;

export function createOrganizations(client: RdClient) {
  const names = new Map<string, string | null>();

  /** Reads organizations that were created at the time of these contacts. Returns the number of requests. */
  async function readLists(
    contacts: readonly Contact[],
    countMissing: () => number,
    maxRequests: number,
  ): Promise<number> {
    const times = contacts.flatMap(({ created_at }) => created_at ?? []).sort();
    const [first, last] = [times[0], times.at(-1)];
    if (first === undefined || last === undefined) return 0;
    const from = new Date(Date.parse(first) - CREATED_BEFORE_MS).toISOString();
    const to = new Date(Date.parse(last) + 1000).toISOString();
    const filter = `created_at:>=${rdqlTime(from)} created_at:<=${rdqlTime(to)}`;
    for (let page = 1; page <= maxRequests; page++) {
      const before = countMissing();
      const query = { filter, 'sort[created_at]': 'desc', 'page[number]': page };
      const { rows, hasMore } = await client.readPage('/organizations', query);
      for (const { id, name } of client.parse(z.array(named), rows, 'organizations')) names.set(id, name);
      const found = before - countMissing();
      if (!hasMore || found < MIN_PER_LIST || countMissing() < MIN_PER_LIST) return page;
    }
    return maxRequests;
  }

  return {
    /**
     * Name by id of the contacts' organizations, null if one does not exist. With more than `maxRequests` requests to make, the last ones
     * are missing, but never the first.
     */
    async load(
      contacts: readonly Contact[],
      maxRequests: number,
    ): Promise<ReadonlyMap<string, string | null>> {
      const ids = contacts.flatMap(({ organization_id }) => organization_id ?? []);
      const missing = () => [...new Set(ids)].filter((id) => !names.has(id));
      const usesLists = missing().length >= MIN_PER_LIST;
      const used = usesLists ? await readLists(contacts, () => missing().length, maxRequests - 1) : 0;
      for (const id of missing().slice(0, maxRequests - used)) {
        const found = await client.find(named, `/organizations/${encodeURIComponent(id)}`);
        names.set(id, found?.name ?? null);
      }
      return names;
    },
  };
}

export function createLostReasons(client: RdClient) {
  let names: ReadonlyMap<string, string | null> | undefined;
  async function read() {
    const reasons = await client.readAll(named, '/lost_reasons', { 'sort[name]': 'asc' });
    return new Map(reasons.map(({ id, name }) => [id, name]));
  }
  return {
    async nameOf(id: string | null): Promise<string | null> {
      if (id === null) return null;
      names ??= await read();
      // It may have been added since. If it was deleted, the list is not read for it again.
      if (!names.has(id)) names = new Map([[id, null], ...(await read())]);
      return names.get(id) ?? null;
    },
    /** Undefined if there is none of this name. */
    async idOf(name: string): Promise<string | undefined> {
      names = await read();
      return [...names].find(([, other]) => other?.toLowerCase() === name.trim().toLowerCase())?.[0];
    },
  };
}
