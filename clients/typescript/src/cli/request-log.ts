// The request log for `placar requests tail`: of one tenant through the admin API, or of all tenants through the database.
import type postgres from 'postgres';
import type { Tables } from '../../../../shared/platform/db/database.types.ts';
import { type Context, placarOf } from './context.ts';
import { connectDatabase } from './database.ts';
import { usageError } from './exit-codes.ts';

export interface LogFilter {
  failed?: boolean;
  limit: number;
  tenant?: string;
  function?: string;
  request?: string;
  trace?: string;
}

export type LogRow = Pick<
  Tables['request_log'],
  'request_id' | 'method' | 'path' | 'status' | 'reason' | 'fields' | 'query' | 'duration_ms' | 'requests'
> & {
  /** Identifies a row; the log has no primary key. */
  place: string;
  at: Date;
  /** What to do about a failure. Only from the API. */
  remedy?: string | null;
};

export interface RequestLog {
  /** Time between two looks at the log. */
  lookEveryMs: number;
  /** The latest rows, oldest first. */
  latest(): Promise<LogRow[]>;
  /** Rows since shortly before this time, oldest first. */
  since(at: Date): Promise<LogRow[]>;
  now(): Promise<Date>;
  close(): Promise<void>;
}

/** Rows become visible when their transaction commits, which can be after later rows. */
const OVERLAP_SECONDS = 60;
export const FIRST_FAILURE = 400;

const WHAT = 'placar requests tail';

export async function openRequestLog(context: Context, filter: LogFilter): Promise<RequestLog> {
  const { databaseUrl } = context.settings;
  if (databaseUrl !== undefined) return ofDatabase(await connectDatabase(databaseUrl), filter);
  for (const name of ['tenant', 'trace'] as const)
    if (filter[name] !== undefined) throw usageError(`--${name} needs PLACAR_DATABASE_URL.`);
  return ofApi(context, filter);
}

/** A page of the API. Larger pages would cost no more requests of the plan. */
const PAGE_ROWS = 200;

type ApiRow = Omit<LogRow, 'place' | 'at'> & { at: string; caller: { id: string } | null };

function ofApi(context: Context, { failed, limit, request, function: name }: LogFilter): RequestLog {
  const { admin } = placarOf(context, ['clientId', 'clientSecret'], WHAT);
  const query = { status: failed ? 'failed' : undefined, request_id: request, function: name };
  const path = '/v1/admin/requests';
  /** Reading the log is logged too. */
  const isOwn = (row: ApiRow) => row.path === path && row.caller?.id === context.settings.clientId;
  const read = async (more: object, max: number): Promise<LogRow[]> => {
    const rows = await admin.list<ApiRow>('/requests', { ...query, ...more }).toArray(max);
    return rows
      .filter((row) => !isOwn(row))
      .map((row) => ({ ...row, at: new Date(row.at), place: `${row.request_id} ${row.at}` }))
      .reverse();
  };
  return {
    // Each look is a request of the plan.
    lookEveryMs: 5000,
    async latest() {
      const rows = await read({ limit: Math.min(limit, PAGE_ROWS) }, limit);
      return rows.slice(-limit);
    },
    since(at) {
      const from = new Date(at.getTime() - OVERLAP_SECONDS * 1000).toISOString();
      return read({ from, limit: PAGE_ROWS }, Number.POSITIVE_INFINITY);
    },
    now: async () => new Date(),
    close: async () => {},
  };
}

function ofDatabase(sql: postgres.Sql, filter: LogFilter): RequestLog {
  const { failed, tenant, function: name, request, trace, limit } = filter;
  const selected = sql`
    select tableoid::text || ':' || ctid::text as place, at, request_id, tenant_id, client_id, function, method, path,
           status, reason, fields, query, duration_ms, requests, trace_id
    from public.request_log
    where (${failed !== true} or status >= ${FIRST_FAILURE})
      and (${tenant ?? null}::uuid is null or tenant_id = ${tenant ?? null}::uuid)
      and (${name ?? null}::text is null or function = ${name ?? null}::text)
      and (${request ?? null}::text is null or request_id = ${request ?? null}::text)
      and (${trace ?? null}::uuid is null or trace_id = ${trace ?? null}::uuid)`;
  return {
    lookEveryMs: 1000,
    async latest() {
      const rows = await sql<LogRow[]>`${selected} order by at desc limit ${limit}`;
      return [...rows].reverse();
    },
    since: async (at) => [
      ...(await sql<LogRow[]>`
        ${selected} and at > ${at}::timestamptz - make_interval(secs => ${OVERLAP_SECONDS}) order by at`),
    ],
    now: async () => (await sql<{ now: Date }[]>`select clock_timestamp() as now`)[0]?.now ?? new Date(),
    close: () => sql.end({ timeout: 1 }),
  };
}
