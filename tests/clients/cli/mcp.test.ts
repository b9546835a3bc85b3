// `placar mcp`: the official client over stdin and stdout, and the errors that a host sees.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { createMcpTenant } from '../../support/mcp/mcp.ts';
import { createLead } from '../../support/records/record-flows.ts';
import { cliFile, environmentOf, expectHidden, jsonLines, newFolder, runCli, useCli } from './run-cli.ts';

useCli();
const sql = connectDatabase();

async function newTenant() {
  const tenant = await createMcpTenant(sql);
  const { client_id: clientId, client_secret: clientSecret } = tenant.client;
  return { ...tenant, secret: clientSecret, env: environmentOf({ clientId, clientSecret }) };
}

test.each([['auto'], ['legacy']] as const)('forwards the messages of a client, %s', async (mode) => {
  const { token, env } = await newTenant();
  const lead = await createLead(token);
  const folder = newFolder();
  const given = Object.fromEntries(
    Object.entries({ ...env, PLACAR_URL: undefined, HOME: folder, PATH: process.env.PATH }).filter(
      ([, value]) => value,
    ),
  );
  const mcp = new Client({ name: 'host', version: '1.0.0' }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cliFile(), 'mcp', '--url', env.PLACAR_URL ?? ''],
    // Filtered above.
    env: given as Record<string, string>,
    cwd: folder,
  });
  await mcp.connect(transport);
  const names = (await mcp.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('find_leads');
  expect(names).not.toContain('log_activity');
  const { structuredContent } = await mcp.callTool({ name: 'find_leads', arguments: {} });
  expect(structuredContent).toEqual({ items: [lead], next_cursor: null });
  await mcp.close();
});

test('--scopes requests other scopes, and each response has the id of its request', async () => {
  const { env, client, secret } = await newTenant();
  const call = (id: unknown, method: string, params?: object) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const input = [
    call(1, 'tools/call', { name: 'log_activity', arguments: { type: 'note' } }),
    call('two', 'tools/call', { name: 'find_leads' }),
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    'nonsense',
    JSON.stringify({ jsonrpc: '1.0', id: 4, method: 'ping' }),
  ].join('\n');
  const ended = await runCli(['mcp', '--scopes', 'write:deals'], { env, input });
  expect(ended.code).toBe(0);
  const shown = jsonLines(ended.stdout).map(({ id, result, error }) => [
    id,
    result ? 'result' : (error as { code: number }).code,
  ]);
  expect(shown.toSorted()).toEqual(
    [
      [1, 'result'],
      ['two', 403],
      [null, -32700],
      [4, -32600],
    ].toSorted(),
  );
  expectHidden(ended, [secret]);
  const refused = await runCli(['mcp', '--scopes', 'manage:access'], { env, input });
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain('invalid_scope');
  await sql`select admin.revoke_oauth_client(${client.client_id})`;
  expect((await runCli(['mcp'], { env, input })).code).toBe(1);
});
