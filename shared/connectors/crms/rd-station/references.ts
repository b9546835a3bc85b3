// Names of organizations and lost reasons, which records refer to by id. They are kept as long as the connection.
import { CrmRejected, CrmUnreadable } from '../errors.ts';
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
      const read = client.readPage(named, '/organizations', query);
      const { records, hasMore } = await read.catch((error: unknown) => {
        // They can be read one by one.
        if (error instanceof CrmUnreadable) return { records: [], hasMore: false };
        throw error;
      });
      for (const { id, name } of records) names.set(id, name);
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
  const names = new Map<string, string | null>();
  async function read() {
    const reasons = await client.readAll(named, '/lost_reasons');
    names.clear();
    for (const { id, name } of reasons) names.set(id, name);
  }
  return {
    async nameOf(id: string | null): Promise<string | null> {
      // It may have been added since. If it was deleted, the list is not read for it again.
      if (id !== null && !names.has(id)) {
        await read();
        if (!names.has(id)) names.set(id, null);
      }
      return (id && names.get(id)) ?? null;
    },
    /** Throws `CrmRejected` if there is none of this name. */
    async idOf(name: string): Promise<string> {
      await read();
      const wanted = name.trim().toLowerCase();
      const [id] = [...names].find(([, other]) => other?.toLowerCase() === wanted) ?? [];
      if (id === undefined) throw new CrmRejected(`RD Station CRM has no lost reason "${name}".`);
      return id;
    },
  };
}
