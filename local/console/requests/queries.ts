// Queries for the request log.
import type { Tables } from '../../../shared/platform/db/database.types.ts';
import type { View } from '../view.ts';

const MAX_ROWS = 100;
/** The filter value for all requests. */
export const EVERYTHING = 'everything';

export interface LoggedRequest
  extends Omit<Tables['request_log'], 'api_key_id' | 'at' | 'client_id' | 'tenant_id'> {
  at: Date;
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
}

const columns = ({ sql }: View) => sql`
  r.request_id, r.at, r.function, r.method, r.path, r.status::integer, r.reason, r.fields, r.query, host(r.ip) as ip,
  r.duration_ms, r.requests, coalesce(k.label, o.label) as caller`;

const sources = ({ sql }: View) => sql`
  admin.request_log r
  left join public.api_keys k      on k.id = r.api_key_id
  left join public.oauth_clients o on o.client_id = r.client_id`;

const ofTenant = ({ sql, tenant }: View) => sql`(r.tenant_id = ${tenant.id} or r.tenant_id is null)`;

/** Newest first. */
export function readRequests(view: View, { text, status, function: name, method }: RequestFilter) {
  const { sql } = view;
  const like = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<LoggedRequest[]>`
    select ${columns(view)}
    from ${sources(view)}
    where ${ofTenant(view)}
      ${text === '' ? sql`` : sql`and (r.path ilike ${like} or r.request_id = ${text} or r.reason ilike ${like})`}
      ${status === 'failed' ? sql`and r.status >= 400` : sql``}
      ${status === 'ok' ? sql`and r.status < 400` : sql``}
      ${name === '' ? sql`and r.function <> 'callbacks'` : name === EVERYTHING ? sql`` : sql`and r.function = ${name}`}
      ${method === '' ? sql`` : sql`and r.method = ${method}`}
    order by r.at desc
    limit ${MAX_ROWS}`;
}

export async function readRequest(view: View, requestId: string): Promise<LoggedRequest | undefined> {
  const [row] = await view.sql<LoggedRequest[]>`
    select ${columns(view)} from ${sources(view)}
    where r.request_id = ${requestId} and ${ofTenant(view)}
    limit 1`;
  return row;
}
