// Calls records as an integration does.
import type postgres from 'postgres';
import { inject } from 'vitest';
import type { Reply } from '../gamification/sync.ts';
import { createOAuthClient, grant, requestToken } from '../oauth.ts';
import { UNCOMPRESSED } from '../wire/uncompressed.ts';

export interface RecordsTenant {
  id: string;
  /** Access token of its client. */
  token: string;
  clientId: string;
}

export interface TenantOptions {
  plan?: string;
  scopes?: string[];
  variant?: string;
}

let made = 0;

/** A new tenant with a client and its access token. */
export async function createRecordsTenant(
  sql: postgres.Sql,
  { plan = 'enterprise', ...client }: TenantOptions = {},
): Promise<RecordsTenant> {
  const slug = `r-${process.pid}-${Date.now().toString(36)}-${made++}`;
  const [tenant] = await sql`select admin.create_tenant(${`Tenant ${slug}`}, ${slug}, ${plan}) as id`;
  return { id: tenant?.id, ...(await createToken(sql, tenant?.id, client)) };
}

/** Another client of a tenant, with its access token. */
export async function createToken(
  sql: postgres.Sql,
  tenantId: string,
  { scopes = ['admin'], variant = 'a' }: Omit<TenantOptions, 'plan'> = {},
): Promise<{ token: string; clientId: string }> {
  const client = await createOAuthClient(sql, tenantId, { scopes, variant });
  const { status, body } = await requestToken(grant(client));
  if (status !== 200) throw new Error(`no token: ${status} ${JSON.stringify(body)}`);
  return { token: body.access_token, clientId: client.client_id };
}

export interface RecordsCallOptions {
  headers?: Record<string, string>;
  /** URL of the functions. Default: the shared stack. */
  baseUrl?: string;
}

/**
 * Sends `Bearer <token>`, or no `Authorization` without a token. `path` is below `/v1` and includes the query. An
 * object is sent as JSON, text and bytes unchanged, undefined without a body.
 */
export async function records(
  token: string | null,
  method: string,
  path: string,
  body?: unknown,
  options: RecordsCallOptions = {},
): Promise<Reply> {
  const { headers = {}, baseUrl = `${inject('stack').base_url}/functions/v1` } = options;
  const asIs = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(`${baseUrl}/v1${path}`, {
    method,
    headers: {
      ...UNCOMPRESSED,
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: asIs ? (body as BodyInit) : JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
}
