// Requests of the same work at each peer.
import { MARK } from '../load/bodies.ts';
import type { PlainRequest } from '../load/load.ts';
import type { PeerName } from './peers.ts';

/** What is asked of each peer. The list is of the 25 newest leads of status `new`, with their total. */
export const operations = ['create', 'get', 'list', 'update'] as const;
export type Operation = (typeof operations)[number];

interface Style {
  collection: string;
  /** Query of the list. */
  list: string;
  updateMethod: string;
  /** Name of a column in bodies. */
  nameOf(column: string): string;
}

const styles: Record<PeerName, Style> = {
  directus: {
    collection: '/items/leads',
    list: 'filter[status][_eq]=new&sort=-created_at&limit=25&meta=filter_count',
    updateMethod: 'PATCH',
    nameOf: (column) => column,
  },
  platformatic: {
    collection: '/leads',
    list: 'where.status.eq=new&orderby.createdAt=desc&limit=25&totalCount=true',
    updateMethod: 'PUT',
    nameOf: (column) => column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  },
};

/**
 * A lead with every field; the mark makes its email one that was never sent before. Its status keeps it out of the list,
 * whose total would otherwise grow most at the fastest peer.
 */
export const lead = {
  name: 'Maria Silva',
  email: `lead-${MARK}@bench.example`,
  phone: '+5511987654321',
  company: 'Acme',
  position: 'Manager',
  source: 'website',
  status: 'contacted',
  owner_id: '5b0c8f0e-3d52-4a63-9d5e-0a3f5f1f7c11',
  custom_fields: { budget: 12_000, segment: 'retail' },
  tags: ['trial', 'events'],
};

/** Values change with each update; the status stays, for the list's sake. */
export const changes = {
  position: `Director ${MARK}`,
  custom_fields: { budget: 15_000, segment: 'wholesale' },
};

/** Requests of a peer; those of one lead take the ids in turn. */
export function requestsOf(
  name: PeerName,
  peer: { headers: Record<string, string> },
  ids: string[],
): Record<Operation, PlainRequest> {
  const { collection, list, updateMethod, nameOf } = styles[name];
  const { headers } = peer;
  const withBody = { ...headers, 'content-type': 'application/json' };
  const each = ids.map((id) => `${collection}/${id}`);
  const bodyOf = (columns: object) =>
    JSON.stringify(
      Object.fromEntries(Object.entries(columns).map(([column, value]) => [nameOf(column), value])),
    );
  return {
    create: { method: 'POST', paths: [collection], headers: withBody, body: bodyOf(lead) },
    get: { method: 'GET', paths: each, headers },
    list: { method: 'GET', paths: [`${collection}?${list}`], headers },
    update: { method: updateMethod, paths: each, headers: withBody, body: bodyOf(changes) },
  };
}
