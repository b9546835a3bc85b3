// Queries for the request log.
import type { Tables } from '../../../shared/platform/db/database.types.ts';
import { pageOf, type View } from '../view.ts';

/** The filter value for all requests. */
export const EVERYTHING = 'everything';

export interface LoggedRequest
  extends Omit<Tables['request_log'], 'api_key_id' | 'at' | 'client_id' | 'tenant_id'> {
  at: Date;
  /** The remedy for a failure; null if the request succeeded. */
  remedy: string | null;
  /** Label of the key or client; null for an unidentified caller. */
  caller: string | null;
}

export interface RequestFilter {
  text: string;
  /** `ok`, `failed`, or empty. */
  status: string;
  /** Empty for all except our own callbacks; `everything` for all. */
  function: string;
  method: string;
  /** `today`, `yesterday` or `last_7_days`; empty for all. */
  period: string;
}

const columns = ({ sql }: View) => sql`
  r.request_id, r.at, r.function, r.method, r.path, r.status::integer, r.reason, r.fields, r.query, host(r.ip) as ip,
  r.duration_ms, r.requests, coalesce(k.label, o.label) as caller, app.remedy(r.status, r.reason) as remedy`;

const sources = ({ sql }: View) => sql`
  admin.request_log r
  left join public.api_keys k      on k.id = r.api_key_id
  left join public.oauth_clients o on o.client_id = r.client_id`;

const ofNobody = ({ sql }: View) => sql`r.tenant_id is null`;

/** First and last day, as days before today; the last one is not included. */
const PERIODS: Readonly<Record<string, [from: number, to: number]>> = {
  today: [0, -1],
  yesterday: [1, 0],
  last_7_days: [6, -1],
};

/** Midnight of a day in the tenant's time zone. */
const day = ({ sql, tenant }: View, daysAgo = 0) => sql`
  (select ((now() at time zone t.time_zone)::date - ${daysAgo}::integer)::timestamp at time zone t.time_zone
   from public.tenants t where t.id = ${tenant.id})`;

/** Newest first. */
export function readRequests(view: View, { text, status, function: name, method, period }: RequestFilter) {
  const { sql } = view;
  const like = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<LoggedRequest[]>`
    select ${columns(view)}
    from ${sources(view)}
    where ${ofNobody(view)}
      ${text === '' ? sql`` : sql`and (r.path ilike ${like} or r.request_id = ${text} or r.reason ilike ${like})`}
      ${status === 'failed' ? sql`and r.status >= 400` : sql``}
      ${status === 'ok' ? sql`and r.status < 400` : sql``}
      ${name === '' ? sql`and r.function <> 'callbacks'` : name === EVERYTHING ? sql`` : sql`and r.function = ${name}`}
      ${method === '' ? sql`` : sql`and r.method = ${method}`}
      ${period in PERIODS ? sql`and r.at >= ${day(view, PERIODS[period]?.[0])} and r.at < ${day(view, PERIODS[period]?.[1])}` : sql``}
    order by r.at desc
    ${pageOf(view)}`;
}

export async function readRequest(view: View, requestId: string): Promise<LoggedRequest | undefined> {
  const [row] = await view.sql<LoggedRequest[]>`
    select ${columns(view)} from ${sources(view)}
    where r.request_id = ${requestId} and ${ofNobody(view)}
    limit 1`;
  return row;
}
