// Writes the request log: SQL for the table `request_log`.

import type { Counter } from '../access/request-counter.ts';
import { waitUntil } from '../background.ts';
import { type Database, type Fragment, type Sql, type Statement, WORKER_SESSION } from '../db/database.ts';
import { isRowRejected } from '../db/sql-errors.ts';
import { errorFields, type Logger } from '../logger.ts';
import type { RequestContext } from '../request/request-context.ts';
import { pause } from '../waits.ts';
import { createRowBudget } from './row-budget.ts';
import { createLogAggregator, type SummedRequests } from './summed-requests.ts';

/** One row. Never contains a body, key or signature. */
export interface RequestLogEntry {
  requestId: string;
  tenantId: string | undefined;
  apiKeyId: string | undefined;
  clientId: string | undefined;
  /** The person of the token. */
  userId?: string | undefined;
  service: string;
  method: string;
  path: string;
  status: number;
  /** The name of the error; undefined if the request succeeded. */
  reason: string | undefined;
  address: string | undefined;
  /** Milliseconds from the request's arrival until the statement was sent. The statement adds the time that its transaction took so far. */
  elapsedMs: number;
  /** Milliseconds that the request has waited for database connections; null if it did not wait. */
  waitedMs?: number | null;
  /** Id of the request's trace. */
  traceId?: string | undefined;
  /** The route's pattern, logged instead of the path if the tenant is unknown. */
  route?: string;
  /** Names of invalid members. */
  fields?: string[] | undefined;
  /** Names of query parameters. */
  query?: string[] | undefined;
  /** SHA-256 (hex) of the API key that was sent. The statement looks up its owner. */
  keyHash?: string;
}

/** Longer paths match no route, so they are truncated. */
const MAX_PATH_LENGTH = 512;
const MAX_ROUTE_LENGTH = 128;
/** All supported methods are shorter. */
const MAX_METHOD_LENGTH = 16;

/**
 * Inserts one row. `status` overrides the entry's status if only SQL can determine it. `timesWhenSent` is called when the transaction has
 * a connection. `offset 0` keeps the planner from casting the address before `pg_input_is_valid` has checked it.
 */
export function insertRequestLog(
  sql: Sql,
  entry: RequestLogEntry,
  status?: Fragment,
  timesWhenSent: () => Pick<RequestLogEntry, 'elapsedMs' | 'waitedMs'> = () => entry,
): Statement {
  const path = entry.path.slice(0, MAX_PATH_LENGTH);
  return sql`
    insert into public.request_log
      (request_id, tenant_id, api_key_id, client_id, user_id, function, method, path, status, reason, ip, duration_ms, waited_ms,
       trace_id)
    select ${entry.requestId}, ${entry.tenantId ?? null}, ${entry.apiKeyId ?? null}, ${entry.clientId ?? null},
           ${entry.userId ?? null}, ${entry.service}, ${entry.method}, ${path}, ${status ?? entry.status}, ${entry.reason ?? null},
           case when pg_input_is_valid(address, 'inet') then address::inet end,
           ${() => timesWhenSent().elapsedMs}::integer + round(extract(epoch from clock_timestamp() - now()) * 1000),
           ${() => timesWhenSent().waitedMs ?? null},
           ${entry.traceId ?? null}::uuid
    from (select ${entry.address ?? null}::text as address offset 0) as client`;
}

/** Rows are collected for this time, or until there are `MAX_ROWS`, and inserted together. */
const GATHER_MS = 20;
const MAX_ROWS = 500;
/** Requests over the row budget are summed for this time. */
const SUM_MS = 10_000;

interface LoggedRequest {
  atMs: number;
  entry: RequestLogEntry;
  /** Whether to log the path even if the tenant is unknown. */
  trusted: boolean;
  /** How many requests the row stands for. */
  requests: number;
}

interface RequestLogOptions {
  database: Database;
  log: Logger;
  /** Rows per minute for unknown callers from one address. */
  unknownCallerRows: number;
  counter?: Counter | undefined;
}

/**
 * Creates the function that logs requests whose own transaction has not logged them. Rows are inserted in batches. Callers that cause
 * too many rows get aggregate rows for the rest.
 */
export function createRequestLog(
  options: RequestLogOptions,
): (entry: RequestLogEntry, trusted?: boolean) => void {
  const { database, log } = options;
  const budget = createRowBudget(options);
  const aggregator = createLogAggregator();
  let gathered: LoggedRequest[] = [];

  /** Splits a rejected batch in half, so that one invalid row does not prevent the others from being logged. */
  const insert = async (rows: LoggedRequest[]): Promise<void> => {
    if (rows.length === 0) return;
    try {
      await database.transaction(WORKER_SESSION, (sql) => insertGathered(sql, rows));
    } catch (error) {
      if (rows.length === 1 || !isRowRejected(error)) {
        log.error('requests not logged', { requests: rows.length, ...errorFields(error) });
        return;
      }
      const half = Math.ceil(rows.length / 2);
      await insert(rows.slice(0, half));
      await insert(rows.slice(half));
    }
  };
  const flush = async () => {
    const rows = gathered;
    gathered = [];
    const limited = rows.filter(({ trusted }) => !trusted);
    const admitted = await budget.admit(limited.map(({ entry }) => entry));
    const overBudget = new Set(limited.filter((_, i) => !admitted[i]));
    for (const { entry } of overBudget) {
      if (aggregator.add(entry)) waitUntil(() => pause(SUM_MS).then(flushSums));
    }
    await insert(rows.filter((row) => !overBudget.has(row)));
  };
  const flushSums = () => insert(aggregator.take().map(rowOfSum));

  return (entry, trusted = false) => {
    gathered.push({ atMs: performance.now(), entry, trusted, requests: 1 });
    if (gathered.length >= MAX_ROWS) waitUntil(flush);
    else if (gathered.length === 1) waitUntil(() => pause(GATHER_MS).then(flush));
  };
}

function rowOfSum({ entry, requests }: SummedRequests): LoggedRequest {
  return { atMs: performance.now(), entry, trusted: true, requests };
}

function insertGathered(sql: Sql, rows: LoggedRequest[]): Statement {
  const nowMs = performance.now();
  const items = rows.map(({ atMs, entry, trusted, requests }) => ({
    ...entry,
    method: entry.method.slice(0, MAX_METHOD_LENGTH),
    path: entry.path.slice(0, MAX_PATH_LENGTH),
    route: trusted ? undefined : entry.route?.slice(0, MAX_ROUTE_LENGTH),
    requests,
    ageSeconds: (nowMs - atMs) / 1000,
  }));
  return sql`
    insert into public.request_log
      (at, request_id, tenant_id, api_key_id, client_id, user_id, function, method, path, status, reason, fields, query, ip,
       duration_ms, waited_ms, requests, trace_id)
    select clock_timestamp() - make_interval(secs => r."ageSeconds"), r."requestId", coalesce(r."tenantId", k.tenant_id),
           coalesce(r."apiKeyId", k.id), r."clientId", r."userId", r.service, r.method,
           case when coalesce(r."tenantId", k.tenant_id) is null then coalesce(r.route, r.path) else r.path end,
           r.status, r.reason, r.fields, r.query,
           case when pg_input_is_valid(r.address, 'inet') then r.address::inet end, r."elapsedMs", r."waitedMs", r.requests,
           r."traceId"
    from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as r (
      "ageSeconds" double precision, "requestId" text, "tenantId" uuid, "apiKeyId" uuid, "clientId" text, "userId" uuid, service text,
      method text, path text, route text, status smallint, reason text, fields text[], query text[], address text,
      "elapsedMs" integer, "waitedMs" integer, "keyHash" text, requests integer,
      "traceId" uuid
    )
    left join lateral app.owner_of_key(decode(r."keyHash", 'hex')) k on r."keyHash" is not null`;
}

/** The part of a row that describes a rejected request. */
export type RejectionDetails = Pick<RequestLogEntry, 'reason' | 'fields' | 'query' | 'keyHash' | 'route'>;

/** The row for a response with this status. */
export const logEntryOf = (
  request: RequestContext,
  status: number,
  rejection?: RejectionDetails,
): RequestLogEntry => ({
  requestId: request.requestId,
  tenantId: request.tenantId,
  apiKeyId: request.apiKeyId,
  clientId: request.clientId,
  userId: request.userId,
  service: request.service,
  method: request.method,
  path: request.loggedPath,
  address: request.address,
  traceId: request.trace?.id,
  reason: undefined,
  ...rejection,
  status,
  elapsedMs: request.elapsedMs(),
  waitedMs: Math.round(request.waits.totalMs) || null,
});
