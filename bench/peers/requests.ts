// The same requests for each server, and how to read their responses.
import { MARK } from '../load/bodies.ts';
import type { PlainRequest } from '../load/load.ts';

/**
 * Operations of each server. The list has the 25 newest leads of status `new`, with their total. Operations that add leads run
 * after those that count them.
 */
export const operations = ['get', 'list', 'create', 'update'] as const;
export type Operation = (typeof operations)[number];

/** A lead to create. The mark makes its email unique. */
const lead = {
  name: 'Maria Silva',
  email: `lead-${MARK}@bench.example`,
  phone: '+5511987654321',
  company: 'Acme',
  position: 'Manager',
  source: 'website',
  custom_fields: { budget: 12_000, segment: 'retail' },
  tags: ['trial', 'events'],
};

/** Values differ in each update. The status stays the same because of the list. */
const changes = { position: `Director ${MARK}`, custom_fields: { budget: 15_000, segment: 'wholesale' } };

export interface Asked {
  /** Headers of every request. */
  headers: Record<string, string>;
  /** Existing leads, used in rotation. */
  ids: string[];
  tenantId: string;
}

type Requests = Record<Operation, PlainRequest>;

interface Rest {
  collection: string;
  /** Query of the list. */
  list: string;
  updateMethod?: string;
  /** Maps a column to its member name. */
  nameOf?: (column: string) => string;
}

const restRequests =
  ({ collection, list, updateMethod = 'PATCH', nameOf = (column) => column }: Rest) =>
  ({ headers, ids }: Asked): Requests => {
    const withBody = { ...headers, 'content-type': 'application/json' };
    const each = ids.map((id) => `${collection}/${id}`);
    const bodies = (columns: object) => [
      JSON.stringify(
        Object.fromEntries(Object.entries(columns).map(([name, value]) => [nameOf(name), value])),
      ),
    ];
    return {
      get: { method: 'GET', paths: each, headers },
      list: { method: 'GET', paths: [`${collection}?${list}`], headers },
      create: { method: 'POST', paths: [collection], headers: withBody, bodies: bodies(lead) },
      update: { method: updateMethod, paths: each, headers: withBody, bodies: bodies(changes) },
    };
  };

const camelCase = (column: string) => column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const inCamelCase = (columns: object) =>
  Object.fromEntries(Object.entries(columns).map(([column, value]) => [camelCase(column), value]));

/** Persisted operations, by their names in `postgraphile.ts`. */
function graphqlRequests({ headers, ids, tenantId: tenant }: Asked): Requests {
  const request = (documentId: Operation, variables: object[]): PlainRequest => ({
    method: 'POST',
    paths: ['/graphql'],
    headers: { ...headers, 'content-type': 'application/json' },
    bodies: variables.map((values) => JSON.stringify({ documentId, variables: values })),
    // GraphQL returns errors with status 200.
    failure: '"errors":',
  });
  return {
    get: request(
      'get',
      ids.map((id) => ({ tenant, id })),
    ),
    list: request('list', [{}]),
    create: request('create', [{ lead: inCamelCase(lead) }]),
    update: request(
      'update',
      ids.map((id) => ({ tenant, id, patch: inCamelCase(changes) })),
    ),
  };
}

/** Requests for Placar, the bare handlers (on Placar's tables, and both forms on the peers' table) and the peers. */
export const requestsOf = {
  placar: restRequests({ collection: '/v1/leads', list: 'status=new' }),
  triggered: restRequests({ collection: '/bare/leads', list: 'status=new' }),
  pipelined: restRequests({ collection: '/bare/pipelined/leads', list: 'status=new' }),
  message: restRequests({ collection: '/bare/message/leads', list: 'status=new' }),
  function: restRequests({ collection: '/bare/function/leads', list: 'status=new' }),
  postgraphile: graphqlRequests,
  directus: restRequests({
    collection: '/items/leads',
    list: 'filter[status][_eq]=new&sort=-created_at&limit=25&meta=filter_count',
  }),
  platformatic: restRequests({
    collection: '/leads',
    list: 'where.status.eq=new&orderby.createdAt=desc&limit=25&totalCount=true',
    updateMethod: 'PUT',
    nameOf: camelCase,
  }),
};

const snakeCase = (member: string) => member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Finds the first object with an email, which is a lead, and the list that contains it, if any. */
function findLead(value: unknown, list: unknown[] | undefined): [object, unknown[] | undefined] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if ('email' in value) return [value, list];
  const inside = Array.isArray(value) ? value : undefined;
  for (const item of Object.values(value)) {
    const found = findLead(item, inside);
    if (found) return found;
  }
  return undefined;
}

/** Members of the first lead in a response, as column names, and the number of leads. */
export function shownBy(text: string): { members: string[]; leads: number } {
  const [lead, list] = findLead(JSON.parse(text), undefined) ?? [{}, []];
  return { members: Object.keys(lead).map(snakeCase).sort(), leads: list?.length ?? 1 };
}
