// The request log: SQL of the table `request_log`.
import type { Database, Sql, Statement } from '../db/database.ts';

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

/** Logs a request by itself, for those that wrote nothing. */
export async function recordRequest(database: Database, entry: RequestLogEntry): Promise<void> {
  await database.transaction({ role: 'worker', tenantId: null }, (sql) => [insertRequestLog(sql, entry)]);
}
