// Calls the MCP server as a client does.
import type postgres from 'postgres';
import { inject } from 'vitest';
import type { Reply } from '../gamification/sync.ts';
import { type Client, createOAuthClient, grant, requestToken } from '../oauth.ts';
import { createRecordsTenant, type RecordsTenant, type TenantOptions } from '../records/records.ts';

export const MODERN = '2026-07-28';

export const mcpUrl = () => `${inject('stack').base_url}/functions/v1/mcp`;

interface McpTenant extends RecordsTenant {
  client: Client;
  /** A token for the MCP server. */
  mcpToken: string;
}

/** A token of a client for the MCP server. */
export async function mcpTokenOf(client: Client, scope?: string): Promise<string> {
  const asked = grant(client, { resource: mcpUrl(), ...(scope !== undefined && { scope }) });
  const { status, body } = await requestToken(asked);
  if (status !== 200) throw new Error(`no token: ${status} ${JSON.stringify(body)}`);
  return body.access_token;
}

/** A tenant with a token for the API, whose client is an admin, and one for MCP with these scopes. */
export async function createMcpTenant(
  sql: postgres.Sql,
  { scopes = ['admin'], ...options }: TenantOptions & { scopes?: string[] } = {},
): Promise<McpTenant> {
  const tenant = await createRecordsTenant(sql, { ...options, variant: 'a' });
  const client = await createOAuthClient(sql, tenant.id, { scopes, variant: options.variant ?? 'a' });
  return { ...tenant, client, mcpToken: await mcpTokenOf(client, scopes.join(' ')) };
}

const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1.2.3' },
};

interface McpOptions {
  headers?: Record<string, string | undefined>;
  url?: string;
  method?: string;
}

/** Sends a body unchanged, or an object as JSON, with the headers of current requests. */
export async function send(token: string | null, body: unknown, options: McpOptions = {}): Promise<Reply> {
  const { headers = {}, url = mcpUrl(), method = 'POST' } = options;
  const all = {
    Authorization: token === null ? undefined : `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...headers,
  };
  const response = await fetch(url, {
    method,
    headers: Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** Sends a request of revision 2026-07-28. */
export function ask(
  token: string | null,
  method: string,
  params: Record<string, unknown> = {},
  { headers = {}, ...options }: McpOptions = {},
): Promise<Reply> {
  const name = typeof params.name === 'string' ? { 'Mcp-Name': params.name } : {};
  return send(
    token,
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } },
    { headers: { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': method, ...name, ...headers }, ...options },
  );
}

/** Calls a tool. Returns its result, or the complete response if it is an error. */
export async function callTool(
  token: string,
  name: string,
  args: Record<string, unknown> = {},
  options: McpOptions = {},
) {
  const reply = await ask(token, 'tools/call', { name, arguments: args }, options);
  return reply.body.result ?? reply;
}
