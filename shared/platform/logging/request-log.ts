// The request log: SQL of the table `request_log`.
import { type Database, type Sql, type Statement, WORKER_SESSION } from '../db/database.ts';
import { waitUntil } from '../wait-until.ts';
import { errorFields, type Logger } from './logger.ts';

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
  reason: string | undefined;
  address: string | undefined;
  /** Milliseconds until the statement was sent; the time of its transaction up to there is added. */
  elapsedMs: number;
}

/** Longest path that is kept; nobody needs more of a path that leads nowhere. */
const MAX_PATH_LENGTH = 2048;

export function insertRequestLog(sql: Sql, entry: RequestLogEntry): Statement {
  const path = entry.path.slice(0, MAX_PATH_LENGTH);
  return sql`
    insert into public.request_log
      (request_id, tenant_id, api_key_id, client_id, function, method, path, status, reason, ip, duration_ms)
    select ${entry.requestId}, ${entry.tenantId ?? null}, ${entry.apiKeyId ?? null}, ${entry.clientId ?? null},
           ${entry.service}, ${entry.method}, ${path}, ${entry.status}, ${entry.reason ?? null},
           case when pg_input_is_valid(address, 'inet') then address::inet end,
           ${entry.elapsedMs}::integer + round(extract(epoch from clock_timestamp() - now()) * 1000)
    from (values (${entry.address ?? null}::text)) as client (address)`;
}

/** How long rows wait for others, in milliseconds, and how many go out together. */
const GATHER_MS = 20;
const MAX_ROWS = 500;

/** Logs requests by themselves, for those that wrote nothing: those of a moment together, in one transaction. */
export function createRequestLog(database: Database, log: Logger): (entry: RequestLogEntry) => void {
  let gathered: { atMs: number; entry: RequestLogEntry }[] = [];
  const flush = async () => {
    const rows = gathered;
    gathered = [];
    try {
      await database.transaction(WORKER_SESSION, (sql) => [insertGathered(sql, rows)]);
    } catch (error) {
      log.error('requests not logged', { requests: rows.length, ...errorFields(error) });
    }
  };
  return (entry) => {
    gathered.push({ atMs: performance.now(), entry });
    if (gathered.length >= MAX_ROWS) waitUntil(flush);
    else if (gathered.length === 1) waitUntil(() => pause(GATHER_MS).then(flush));
  };
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function insertGathered(sql: Sql, rows: { atMs: number; entry: RequestLogEntry }[]): Statement {
  const nowMs = performance.now();
  const items = rows.map(({ atMs, entry }) => ({
    ...entry,
    path: entry.path.slice(0, MAX_PATH_LENGTH),
    ageSeconds: (nowMs - atMs) / 1000,
  }));
  return sql`
    insert into public.request_log
      (at, request_id, tenant_id, api_key_id, client_id, function, method, path, status, reason, ip, duration_ms)
    select clock_timestamp() - make_interval(secs => r."ageSeconds"), r."requestId", r."tenantId", r."apiKeyId", r."clientId",
           r.service, r.method, r.path, r.status, r.reason,
           case when pg_input_is_valid(r.address, 'inet') then r.address::inet end, r."elapsedMs"
    from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as r (
      "ageSeconds" double precision, "requestId" text, "tenantId" uuid, "apiKeyId" uuid, "clientId" text, service text,
      method text, path text, status smallint, reason text, address text, "elapsedMs" integer
    )`;
}
