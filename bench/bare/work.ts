// The statements of one sync with the pool and transactions of postgres.js. The SQL is Placar's own, so that the database does
// the same work.
import type postgres from 'postgres';
import type { Activity } from '../../shared/activity/activities.ts';
import { insertActivities } from '../../shared/activity/activities.ts';
import type { Sql, Statement } from '../../shared/platform/db/database.ts';
import { insertRequestLog } from '../../shared/platform/request-log/request-log.ts';

export interface Key {
  id: string;
  tenant_id: string;
  expired: boolean;
  revoked: boolean;
}

/**
 * The default number of connections of postgres.js: `sql.begin` waits more often, so Placar's four connections would be too
 * few for it. JSON parameters are strings, as in Placar.
 */
export const connectionOptions = {
  max: 10,
  onnotice: () => {},
  types: {
    json: {
      to: 3802,
      from: [114, 3802],
      serialize: (value: unknown) => value,
      parse: (text: string): unknown => JSON.parse(text),
    },
  },
};

export async function findKey(sql: postgres.Sql, hash: string): Promise<Key | undefined> {
  const [key] = await sql<Key[]>`
    select id, tenant_id, scopes, requests_per_hour, expired, revoked, address_allowed, touch_due
    from app.find_api_key(decode(${hash}, 'hex'), null)`;
  return key;
}

/** One transaction. The statements after BEGIN are pipelined, the fastest way with postgres.js. */
export async function record(sql: postgres.Sql, key: Key, activities: Activity[]): Promise<postgres.Row> {
  const [, [counts]] = await sql.begin((tx) => [
    enterTenant(tx, key.tenant_id),
    asQuery(insertActivities(asConnection(tx), key.tenant_id, activities)),
    logRequest(tx, key),
  ]);
  return counts ?? {};
}

export const enterTenant = (tx: postgres.TransactionSql, tenantId: string) =>
  tx`select set_config('role', 'api', true), set_config('app.tenant_id', ${tenantId}, true)`;

export function logRequest(tx: postgres.TransactionSql, key: Key) {
  const statement = insertRequestLog(asConnection(tx), {
    requestId: crypto.randomUUID(),
    tenantId: key.tenant_id,
    apiKeyId: key.id,
    clientId: undefined,
    service: 'bare',
    method: 'POST',
    path: '/bare',
    status: 200,
    reason: undefined,
    address: undefined,
    elapsedMs: 0,
  });
  return asQuery(statement);
}

/** Placar's statements are postgres.js templates with narrower types. Functions among their values are called when they are sent. */
const asConnection = (tx: postgres.TransactionSql): Sql => {
  const template = (first: TemplateStringsArray, ...values: unknown[]) =>
    tx(first, ...(values.map((value) => (typeof value === 'function' ? value() : value)) as never[]));
  return template as unknown as Sql;
};
const asQuery = <R extends object>(statement: Statement<R>) =>
  statement as unknown as postgres.PendingQuery<R[]>;
