// How MCP messages are counted and logged.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { startOwnFunction } from '../../support/functions.ts';
import { untilMinuteHas } from '../../support/limits/windows.ts';
import { ask, createMcpTenant, MODERN, send } from '../../support/mcp/mcp.ts';
import { records } from '../../support/records/records.ts';
import { limitOf } from '../../support/records/records-answers.ts';
import { createPlan } from '../../support/records/records-furnish.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();

test('successful, failed and rejected calls are logged', async () => {
  const { id, client, mcpToken } = await createMcpTenant(sql, { scopes: ['read:leads', 'write:deals'] });
  await send(mcpToken, { jsonrpc: '2.0', method: 'notifications/initialized' });
  await send(mcpToken, '{');
  await ask(mcpToken, 'server/discover');
  await ask(mcpToken, 'no/such');
  await ask(mcpToken, '../../etc');
  for (const [name, args] of [
    ['find_leads', { search: 'x' }],
    ['find_leads', { limit: 0 }],
    ['get_record', { kind: 'lead', id: crypto.randomUUID() }],
    ['get_standings', {}],
    ['log_activity', { type: 'call' }],
    ['log_activity', { type: 'call', deal_id: crypto.randomUUID() }],
    ['no_tool', {}],
  ] as const)
    await ask(mcpToken, 'tools/call', { name, arguments: args });
  const rows = await waitFor(async () => {
    const found = await sql`
      select path, status, reason, fields from request_log
      where tenant_id = ${id} and function = 'mcp' and method = 'POST' and client_id = ${client.client_id}`;
    return found.length === 12 && found;
  });
  const shown = rows.map(({ path, status, reason, fields }) =>
    [path, status, reason, fields].filter((x) => x !== null),
  );
  expect(shown.toSorted()).toEqual(
    [
      ['/mcp/notifications/initialized', 202],
      ['/mcp', 400, 'malformed_body'],
      ['/mcp/server/discover', 200],
      ['/mcp/no/such', 404, 'unknown_method'],
      ['/mcp', 404, 'unknown_method'],
      ['/mcp/tools/call/find_leads', 200],
      ['/mcp/tools/call/find_leads', 400, 'validation', ['limit']],
      ['/mcp/tools/call/get_record', 404, 'lead_missing'],
      ['/mcp/tools/call/get_standings', 403, 'insufficient_scope'],
      ['/mcp/tools/call/log_activity', 201],
      ['/mcp/tools/call/log_activity', 422, 'deal_activities_tenant_id_deal_id_fkey', ['deal_id']],
      ['/mcp/tools/call/no_tool', 422, 'invalid_params'],
    ].toSorted(),
  );
});

test('any client name is accepted', async () => {
  const { id, mcpToken } = await createMcpTenant(sql, { scopes: ['manage:gamification'] });
  const names = ['a\0b', 'a\ud800b', `${'a'.repeat(254)}\u{1f600}`];
  for (const [points, name] of names.entries()) {
    const { status } = await send(
      mcpToken,
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'save_mission',
          arguments: { name: 'Demo', points },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': MODERN,
            'io.modelcontextprotocol/clientCapabilities': {},
            'io.modelcontextprotocol/clientInfo': { name, version: '1' },
          },
        },
      },
      { headers: { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'save_mission' } },
    );
    expect(status, JSON.stringify(name)).toBe(200);
  }
  const rows =
    await sql`select program from admin_changes where tenant_id = ${id} and via = 'mcp' order by id`;
  expect(rows.map(({ program }) => program)).toEqual(['ab/1', 'a\ufffdb/1', `${'a'.repeat(254)}\ufffd`]);
});

test('MCP and the API share the requests of the plan, and a message past the limit does nothing', async () => {
  const { id, token, mcpToken } = await createMcpTenant(sql);
  await untilMinuteHas(8);
  const { limit, remaining } = limitOf(await records(token, 'GET', '/leads'));
  const left = [
    await ask(mcpToken, 'server/discover'),
    await ask(mcpToken, 'tools/list'),
    await ask(mcpToken, 'tools/call', { name: 'log_activity', arguments: { type: 'call' } }),
    await records(token, 'GET', '/leads'),
  ].map((reply) => limitOf(reply).remaining - remaining);
  expect(left).toEqual([-1, -2, -3, -4]);
  const plan = await createPlan(sql, limit - remaining + 4);
  await sql`update tenants set plan = ${plan} where id = ${id}`;
  const over = await ask(mcpToken, 'tools/call', { name: 'log_activity', arguments: { type: 'email' } });
  expect([over.status, over.body.error.code, over.body.error.data]).toEqual([
    429,
    429,
    { code: 'RATE_LIMITED', request_id: over.headers.get('x-request-id') },
  ]);
  expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await sql`select type from deal_activities where tenant_id = ${id}`).toEqual([{ type: 'call' }]);
});

test('if the database is unreachable, every message gets 503, even those that do not query it', async () => {
  const { mcpToken } = await createMcpTenant(sql);
  // Nothing listens there.
  const { baseUrl } = await startOwnFunction('mcp', { DATABASE_URL: 'postgresql://u:p@127.0.0.1:1/db' });
  const url = `${baseUrl}/mcp`;
  for (const reply of [
    await ask(mcpToken, 'tools/call', { name: 'find_leads' }, { url }),
    await ask(mcpToken, 'tools/list', {}, { url }),
    await ask(mcpToken, 'server/discover', {}, { url }),
  ]) {
    expect([reply.status, reply.body.id, reply.body.error.code, reply.body.error.data.code]).toEqual([
      503,
      1,
      503,
      'SERVER_ERROR',
    ]);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  }
});
