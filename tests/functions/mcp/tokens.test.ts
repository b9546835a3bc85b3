// Tokens for the MCP server: their rights and limits, and how clients discover them.
import { expect, inject, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { ask, callTool, createMcpTenant, mcpTokenOf, mcpUrl, send } from '../../support/mcp/mcp.ts';
import { createOAuthClient, grant, requestToken } from '../../support/oauth.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';

const sql = connectDatabase();

const toolsOf = async (token: string): Promise<string[]> =>
  (await ask(token, 'tools/list')).body.result.tools.map(({ name }: { name: string }) => name);

async function newClient(scopes: string[]) {
  const { id } = await createRecordsTenant(sql);
  return await createOAuthClient(sql, id, { scopes });
}

test('a token for the API is none for MCP, nor the other way round', async () => {
  const { token, mcpToken } = await createMcpTenant(sql);
  const refused = await ask(token, 'tools/list');
  expect([refused.status, refused.body.error.code, refused.body.error.data.code]).toEqual([
    401,
    401,
    'UNAUTHORIZED',
  ]);
  expect((await records(mcpToken, 'GET', '/leads')).status).toBe(401);
  expect((await ask(mcpToken, 'tools/list')).status).toBe(200);
});

test('resource is audience by another name', async () => {
  const client = await newClient(['read:leads']);
  const { base_url: baseUrl } = inject('stack');
  const ends = async (parameters: Record<string, string>) => {
    const { status, body } = await requestToken(grant(client, parameters));
    return status === 200 ? (await ask(body.access_token, 'ping')).status : body.error;
  };
  expect(await ends({ resource: mcpUrl() })).toBe(404);
  expect(await ends({ audience: `${baseUrl}/mcp` })).toBe(404);
  expect(await ends({ audience: mcpUrl(), resource: mcpUrl() })).toBe(404);
  expect(await ends({ audience: baseUrl, resource: mcpUrl() })).toBe('invalid_target');
  expect(await ends({ resource: `${mcpUrl()}/x` })).toBe('invalid_target');
  expect(await ends({})).toBe(401);
  const { status, body } = await requestToken({ ...grant(client), resource: [mcpUrl(), baseUrl] });
  expect([status, body.error]).toEqual([400, 'invalid_target']);
  const form = new URLSearchParams({ ...grant(client), resource: mcpUrl() });
  form.append('resource', baseUrl);
  const several = await requestToken(form);
  expect([several.status, several.body.error]).toEqual([400, 'invalid_target']);
});

test('without scope a token only reads', async () => {
  const scopesOf = async (scopes: string[], scope?: string) => {
    const asked = grant(await newClient(scopes), {
      resource: mcpUrl(),
      ...(scope !== undefined && { scope }),
    });
    const { body } = await requestToken(asked);
    return body.error ?? body.scope;
  };
  expect(await scopesOf(['write:leads', 'read:leads', 'request:payouts'])).toBe('read:leads');
  expect(await scopesOf(['admin', 'read:payments'], ' ')).toBe(
    'read:leads read:deals read:users read:teams read:webhooks read:standings read:settings read:audit read:payments',
  );
  expect(await scopesOf(['write:leads'])).toBe('invalid_scope');
  expect(await scopesOf(['write:leads'], 'write:leads')).toBe('write:leads');
  const tools = await toolsOf(await mcpTokenOf(await newClient(['admin'])));
  expect(tools).toContain('find_leads');
  expect(tools).not.toContain('log_activity');
});

test('a bare 401 leads to the token endpoint', async () => {
  const client = await newClient(['read:leads']);
  const refused = await send(null, { jsonrpc: '2.0', id: 1, method: 'ping' });
  expect(refused.status).toBe(401);
  const challenge = refused.headers.get('www-authenticate') ?? '';
  expect(challenge).toBe(`Bearer resource_metadata="${mcpUrl()}/.well-known/oauth-protected-resource"`);
  const metadata = await (await fetch(/"(.+)"/.exec(challenge)?.[1] ?? '')).json();
  expect(metadata).toEqual({
    resource: mcpUrl(),
    authorization_servers: [`${inject('stack').base_url}/functions/v1/oauth`],
    bearer_methods_supported: ['header'],
    resource_name: 'Placar',
  });
  const [server] = metadata.authorization_servers;
  const { token_endpoint } = await (await fetch(`${server}/.well-known/openid-configuration`)).json();
  const answer = await fetch(token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: metadata.resource, ...client }),
  });
  const { access_token: token } = await answer.json();
  expect(await toolsOf(token)).toEqual(['find_leads', 'get_record']);
});

test('a call without the scope is 403 naming it, whether the token or its client lacks it', async () => {
  const { id, client, mcpToken } = await createMcpTenant(sql, { scopes: ['read:leads', 'read:deals'] });
  const expectRefused = async (name: string, args: object, scope: string) => {
    const reply = await ask(mcpToken, 'tools/call', { name, arguments: args });
    expect([reply.status, reply.body.error.code, reply.body.error.data.code]).toEqual([
      403,
      403,
      'FORBIDDEN',
    ]);
    expect(reply.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
    expect(reply.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${mcpUrl()}/.well-known/oauth-protected-resource", ` +
        `error="insufficient_scope", scope="${scope}"`,
    );
  };
  await expectRefused('get_standings', {}, 'read:standings read:users');
  await expectRefused('get_record', { kind: 'team', id: crypto.randomUUID() }, 'read:teams');
  expect((await callTool(mcpToken, 'find_deals')).structuredContent).toEqual({
    items: [],
    next_cursor: null,
  });
  await sql`update oauth_clients set scopes = '{read:leads}' where client_id = ${client.client_id} and tenant_id = ${id}`;
  await expectRefused('find_deals', {}, 'read:deals');
  expect(await toolsOf(mcpToken)).toEqual(['find_leads', 'get_record']);
});

test('a revoked client is 401 for every message', async () => {
  const { client, mcpToken } = await createMcpTenant(sql);
  await sql`select admin.revoke_oauth_client(${client.client_id})`;
  const replies = await Promise.all([
    ask(mcpToken, 'server/discover'),
    ask(mcpToken, 'tools/list'),
    ask(mcpToken, 'tools/call', { name: 'find_leads' }),
    send(mcpToken, { jsonrpc: '2.0', method: 'notifications/initialized' }),
    send(mcpToken, '{'),
  ]);
  expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
  expect(replies[0]?.headers.get('www-authenticate')).toContain('error="invalid_token"');
});
