// Requests access tokens as a client of the records interface does.
import type postgres from 'postgres';
import { inject } from 'vitest';
import type { Reply } from './gamification/sync.ts';
import { UNCOMPRESSED } from './wire/uncompressed.ts';

export interface Client {
  client_id: string;
  client_secret: string;
}

export async function createOAuthClient(
  sql: postgres.Sql,
  tenantId: string,
  options: { scopes?: string[]; variant?: string } = {},
): Promise<Client> {
  const { scopes = ['read:leads', 'write:leads'], variant = 'a' } = options;
  const [row] = await sql`
    select client_id, client_secret from admin.create_oauth_client(${tenantId}, 'test', ${scopes}, ${variant})`;
  return { client_id: row?.client_id, client_secret: row?.client_secret };
}

export interface TokenCall {
  method?: string;
  headers?: Record<string, string>;
  /** Path below `/oauth`. */
  path?: string;
  baseUrl?: string;
}

/** Sends a request to the token endpoint: objects as JSON, `URLSearchParams` as a form, text and bytes unchanged. */
export async function requestToken(body: unknown, options: TokenCall = {}): Promise<Reply> {
  const { method = 'POST', headers = {}, path = '/token', baseUrl = inject('stack').auth_url } = options;
  const asIs = typeof body === 'string' || body instanceof Uint8Array || body instanceof URLSearchParams;
  const response = await fetch(`${baseUrl}/oauth${path}`, {
    method,
    headers: {
      ...UNCOMPRESSED,
      ...(body !== undefined && !(body instanceof URLSearchParams) && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: asIs ? (body as BodyInit) : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
}

export const grant = (client: Partial<Client>, more: Record<string, unknown> = {}) => ({
  grant_type: 'client_credentials',
  ...client,
  ...more,
});

export const basic = (id: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});
