// The request log: SQL of the table `request_log`.

import type { Counter } from '../access/request-counter.ts';
import { waitUntil } from '../background.ts';
import { type Database, type Fragment, type Sql, type Statement, WORKER_SESSION } from '../db/database.ts';
import { isRowRejected } from '../db/sql-errors.ts';
import { errorFields, type Logger } from '../logger.ts';
import type { RequestContext } from '../request/request-context.ts';
import { createRowBudget } from './row-budget.ts';
import { createLogAggregator, type SummedRequests } from './summed-requests.ts';

/** One row. Never holds a body, a key or a signature. */
export interface RequestLogEntry {
  requestId: string;
  tenantId: string | undefined;
  apiKeyId: string | undefined;
  clientId: string | undefined;
  service: string;
  method: string;
  path: string;
  status: number;
  /** The name of what was wrong; undefined for what was done. */
  reason: string | undefined;
  address: string | undefined;
  /** Milliseconds until the statement was sent; the time of its transaction up to there is added. */
  elapsedMs: number;
  /** The pattern of the route, which takes the place of the path where no tenant is known. */
  route?: string;
  /** Names of members at fault, and of query parameters. */
  fields?: string[] | undefined;
  query?: string[] | undefined;
  /** SHA-256 of the API key that was named, in hex; whose it is, if anybody's, is found as the row is written. */
  keyHash?: string;
}

/** Longest path that is kept; nobody needs more of a path that leads nowhere. */
const MAX_PATH_LENGTH = 512;
const MAX_ROUTE_LENGTH = 128;
/** No method that anything here answers is longer. */
const MAX_METHOD_LENGTH = 16;

/**
 * `offset 0` keeps the planner from casting an address that is none before it is asked whether it is one. `status` takes the place
 * of the entry's where only SQL knows it.
 */
export function insertRequestLog(sql: Sql, entry: RequestLogEntry, status?: Fragment): Statement {
  const path = entry.path.slice(0, MAX_PATH_LENGTH);
  return sql`
    insert into public.request_log
      (request_id, tenant_id, api_key_id, client_id, function, method, path, status, reason, ip, duration_ms)
    select ${entry.requestId}, ${entry.tenantId ?? null}, ${entry.apiKeyId ?? null}, ${entry.clientId ?? null},
           ${entry.service}, ${entry.method}, ${path}, ${status ?? entry.status}, ${entry.reason ?? null},
           case when pg_input_is_valid(address, 'inet') then address::inet end,
           ${entry.elapsedMs}::integer + round(extract(epoch from clock_timestamp() - now()) * 1000)
    from (select ${entry.address ?? null}::text as address offset 0) as client`;
}

/** How long rows wait for others, in milliseconds, and how many go out together. */
const GATHER_MS = 20;
const MAX_ROWS = 500;
/** How long sums are gathered. */
const SUM_MS = 10_000;

interface LoggedRequest {
  atMs: number;
  entry: RequestLogEntry;
  /** Whether its path is kept though no tenant is known. */
  trusted: boolean;
  /** More than one for a sum. */
  requests: number;
}

export interface RequestLogOptions {
  database: Database;
  log: Logger;
  /** Rows a minute for one address of callers whom nobody knows. */
  unknownCallerRows: number;
  counter?: Counter | undefined;
}

/**
 * Logs requests by themselves, for those that wrote nothing: those of a moment together, in one transaction. Where somebody
 * causes too many rows, the rest is counted in sums.
 */
export function createRequestLog(
  options: RequestLogOptions,
): (entry: RequestLogEntry, trusted?: boolean) => void {
  const { database, log } = options;
  const budget = createRowBudget(options);
  const aggregator = createLogAggregator();
  let gathered: LoggedRequest[] = [];

  /** One bad row costs itself alone: a batch that is refused is tried in halves. */
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
    const asked = rows.filter(({ trusted }) => !trusted);
    const admitted = await budget.admit(asked.map(({ entry }) => entry));
    const beyond = new Set(asked.filter((_, i) => !admitted[i]));
    for (const { entry } of beyond) {
      if (aggregator.add(entry)) waitUntil(() => pause(SUM_MS).then(flushSums));
    }
    await insert(rows.filter((row) => !beyond.has(row)));
  };
  const flushSums = () => insert(aggregator.take().map(rowOfSum));

  return (entry, trusted = false) => {
    gathered.push({ atMs: performance.now(), entry, trusted, requests: 1 });
    if (gathered.length >= MAX_ROWS) waitUntil(flush);
    else if (gathered.length === 1) waitUntil(() => pause(GATHER_MS).then(flush));
  };
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

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
      (at, request_id, tenant_id, api_key_id, client_id, function, method, path, status, reason, fields, query, ip,
       duration_ms, requests)
    select clock_timestamp() - make_interval(secs => r."ageSeconds"), r."requestId", coalesce(r."tenantId", k.tenant_id),
           coalesce(r."apiKeyId", k.id), r."clientId", r.service, r.method,
           case when coalesce(r."tenantId", k.tenant_id) is null then coalesce(r.route, r.path) else r.path end,
           r.status, r.reason, r.fields, r.query,
           case when pg_input_is_valid(r.address, 'inet') then r.address::inet end, r."elapsedMs", r.requests
    from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as r (
      "ageSeconds" double precision, "requestId" text, "tenantId" uuid, "apiKeyId" uuid, "clientId" text, service text,
      method text, path text, route text, status smallint, reason text, fields text[], query text[], address text,
      "elapsedMs" integer, "keyHash" text, requests integer
    )
    left join lateral app.owner_of_key(decode(r."keyHash", 'hex')) k on r."keyHash" is not null`;
}

/** What a refusal adds to the row of its request. */
export type Refusal = Pick<RequestLogEntry, 'reason' | 'fields' | 'query' | 'keyHash' | 'route'>;

/** The row of the request log for an answer with this status. */
export function logEntryOf(request: RequestContext, status: number, refusal?: Refusal): RequestLogEntry {
  const { requestId, tenantId, apiKeyId, clientId, service, method, loggedPath: path, address } = request;
  const elapsedMs = request.elapsedMs();
  return {
    ...{ requestId, tenantId, apiKeyId, clientId, service, method, path, address },
    ...{ reason: undefined, ...refusal, status, elapsedMs },
  };
}
