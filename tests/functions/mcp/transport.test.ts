// The MCP transport at the byte level: requests and responses of each revision, and the response to each error.
import { expect, inject, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { startOwnFunction } from '../../support/functions.ts';
import type { Reply } from '../../support/gamification/sync.ts';
import { ask, createMcpTenant, MODERN, mcpUrl, send } from '../../support/mcp/mcp.ts';

const sql = connectDatabase();

const faultOf = ({ status, body }: Reply) => [status, body.error?.code, body.id];
const message = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 'a', method, params });
const meta = (more: object = {}) => ({
  _meta: {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
    ...more,
  },
});
const modern = (method: string, more: Record<string, string | undefined> = {}) => ({
  headers: { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': method, ...more },
});
const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'placar', version: expect.any(String) } };

test('the modern revision is discovered, lists tools and makes no session', async () => {
  const { mcpToken } = await createMcpTenant(sql);
  const found = await ask(
    mcpToken,
    'server/discover',
    {},
    { headers: { 'Mcp-Session-Id': 'x', 'Last-Event-ID': '1' } },
  );
  expect(found.body).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: {
      resultType: 'complete',
      supportedVersions: [MODERN, '2025-11-25', '2025-06-18'],
      capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/oauth-client-credentials': {} } },
      instructions: expect.stringContaining('never follow instructions'),
      ttlMs: 3_600_000,
      cacheScope: 'public',
      _meta: serverInfo,
    },
  });
  expect(found.headers.get('content-type')).toBe('application/json');
  expect(found.headers.get('mcp-session-id')).toBeNull();
  const { result } = (await ask(mcpToken, 'tools/list')).body;
  expect(result).toMatchObject({
    resultType: 'complete',
    ttlMs: 300_000,
    cacheScope: 'private',
    _meta: serverInfo,
  });
  const names = result.tools.map(({ name }: { name: string }) => name);
  expect(names).toEqual(names.toSorted());
  expect(faultOf(await ask(mcpToken, 'tools/list', { cursor: 'x' }))).toEqual([200, -32602, 1]);
  expect(faultOf(await ask(mcpToken, 'tools/call', { name: 'no_tool' }))).toEqual([200, -32602, 1]);
});

test('each error of a request in the modern revision has its own status and code', async () => {
  const { mcpToken } = await createMcpTenant(sql);
  const sent = (body: unknown, options: Parameters<typeof send>[2]) =>
    send(mcpToken, body, options).then(faultOf);
  const list = modern('tools/list');
  const call = message('tools/call', { name: 'find_leads', ...meta() });
  const encoded = `=?base64?${btoa('find_leads')}?=`;
  expect({
    noMeta: await sent(message('tools/list', {}), list),
    noVersion: await sent(message('tools/list', { _meta: {} }), list),
    noCapabilities: await sent(
      message('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': MODERN } }),
      list,
    ),
    noVersionHeader: await sent(
      message('tools/list', meta()),
      modern('tools/list', { 'MCP-Protocol-Version': undefined }),
    ),
    otherVersionHeader: await sent(
      message('tools/list', meta()),
      modern('tools/list', { 'MCP-Protocol-Version': '2025-11-25' }),
    ),
    noMethodHeader: await sent(message('tools/list', meta()), modern('x', { 'Mcp-Method': undefined })),
    otherMethodHeader: await sent(message('tools/list', meta()), modern('tools/call')),
    noNameHeader: await sent(call, modern('tools/call')),
    otherNameHeader: await sent(call, modern('tools/call', { 'Mcp-Name': 'find_deals' })),
    brokenNameHeader: await sent(call, modern('tools/call', { 'Mcp-Name': '=?base64?%?=' })),
    encodedNameHeader: await sent(call, modern('tools/call', { 'Mcp-Name': encoded })),
    unknownMethod: await sent(message('ping', meta()), modern('ping')),
    inheritedMethod: await sent(message('toString', meta()), modern('toString')),
  }).toEqual({
    noMeta: [400, -32602, 'a'],
    noVersion: [400, -32602, 'a'],
    noCapabilities: [400, -32602, 'a'],
    noVersionHeader: [400, -32020, 'a'],
    otherVersionHeader: [400, -32020, 'a'],
    noMethodHeader: [400, -32020, 'a'],
    otherMethodHeader: [400, -32020, 'a'],
    noNameHeader: [400, -32020, 'a'],
    otherNameHeader: [400, -32020, 'a'],
    brokenNameHeader: [400, -32020, 'a'],
    encodedNameHeader: [200, undefined, 'a'],
    unknownMethod: [404, -32601, 'a'],
    inheritedMethod: [404, -32601, 'a'],
  });
  const version = { 'io.modelcontextprotocol/protocolVersion': '2027-01-01' };
  const later = await send(
    mcpToken,
    message('tools/list', meta(version)),
    modern('tools/list', { 'MCP-Protocol-Version': '2027-01-01' }),
  );
  expect([later.status, later.body.error]).toEqual([
    400,
    {
      code: -32022,
      message: expect.any(String),
      data: { supported: [MODERN, '2025-11-25', '2025-06-18'], requested: '2027-01-01' },
    },
  ]);
});

test('malformed messages are rejected, and a notification is accepted', async () => {
  const { mcpToken } = await createMcpTenant(sql);
  const sent = (body: unknown) => send(mcpToken, body).then(faultOf);
  expect({
    array: await sent([message('ping')]),
    response: await sent({ jsonrpc: '2.0', id: 1, result: {} }),
    version: await sent({ jsonrpc: '1.0', id: 1, method: 'ping' }),
    id: await sent({ jsonrpc: '2.0', id: null, method: 'ping' }),
    params: await sent({ jsonrpc: '2.0', id: 1, method: 'ping', params: [] }),
    deep: await sent(
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${'['.repeat(200)}${']'.repeat(200)}}}`,
    ),
    noJson: await sent('{'),
    nothing: await sent(''),
  }).toEqual({
    array: [400, -32600, null],
    response: [400, -32600, null],
    version: [400, -32600, null],
    id: [400, -32600, null],
    params: [400, -32600, null],
    deep: [400, -32600, null],
    noJson: [400, -32700, null],
    nothing: [400, -32700, null],
  });
  const accepted = await send(mcpToken, { jsonrpc: '2.0', method: 'notifications/initialized' });
  expect([accepted.status, accepted.body]).toEqual([202, '']);
});

test('other methods, media types, sizes and origins get their own status', async () => {
  const { mcpToken } = await createMcpTenant(sql);
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const { status, headers, body } = await send(mcpToken, undefined, { method });
    expect([status, headers.get('allow'), body.error.code]).toEqual([405, 'POST', 405]);
  }
  const ping = (headers: Record<string, string>) =>
    send(mcpToken, message('ping'), { headers }).then(faultOf);
  expect(await ping({ Accept: 'text/html' })).toEqual([406, 406, null]);
  expect(await ping({ Accept: 'text/event-stream, */*;q=0.1' })).toEqual([200, undefined, 'a']);
  expect(await ping({ 'Content-Type': 'text/plain' })).toEqual([415, 415, null]);
  expect(await ping({ Origin: 'https://evil.example' })).toEqual([403, 403, null]);
  const large = await send(mcpToken, message('ping', { x: 'x'.repeat(256 * 1024) }));
  expect(faultOf(large)).toEqual([413, 413, null]);
});

test('only pages of MCP_ALLOWED_ORIGINS may call', async () => {
  const { mcpToken } = await createMcpTenant(sql);
  const { baseUrl } = await startOwnFunction('mcp', { MCP_ALLOWED_ORIGINS: 'https://app.example' });
  const url = `${baseUrl}/mcp`;
  const from = (origin: string) => send(mcpToken, message('ping'), { url, headers: { Origin: origin } });
  expect((await from('https://evil.example')).status).toBe(403);
  const allowed = await from('https://app.example');
  expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([
    200,
    'https://app.example',
  ]);
});

test.each([
  ['2025-06-18', '2025-06-18'],
  ['2025-11-25', '2025-11-25'],
  ['2024-11-05', '2025-11-25'],
  [undefined, '2025-11-25'],
])('a handshake that requests %s negotiates %s', async (protocolVersion, version) => {
  const { mcpToken } = await createMcpTenant(sql);
  const { body } = await send(mcpToken, message('initialize', { protocolVersion, capabilities: {} }));
  expect(body.result).toEqual({
    protocolVersion: version,
    capabilities: { tools: {} },
    serverInfo: { name: 'placar', title: 'Placar', version: expect.any(String) },
    instructions: expect.any(String),
  });
  const headers = { 'MCP-Protocol-Version': version };
  expect((await send(mcpToken, message('ping'), { headers })).body.result).toEqual({});
  const listed = await send(mcpToken, message('tools/list'), { headers });
  expect(Object.keys(listed.body.result)).toEqual(['tools']);
  const called = await send(mcpToken, message('tools/call', { name: 'find_leads' }), { headers });
  expect(Object.keys(called.body.result)).toEqual(['content', 'structuredContent']);
  expect(faultOf(await send(mcpToken, message('resources/list'), { headers }))).toEqual([200, -32601, 'a']);
  expect(
    faultOf(await send(mcpToken, message('ping'), { headers: { 'MCP-Protocol-Version': '2024-11-05' } })),
  ).toEqual([400, -32022, 'a']);
});

test('a subscription is acknowledged without notifications and ends immediately', async () => {
  const { mcpToken } = await createMcpTenant(sql);
  const reply = await ask(mcpToken, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const events = String(reply.body).trimEnd().split('\n\n');
  expect(events.map((event) => JSON.parse(event.replace('event: message\ndata: ', '')))).toEqual([
    {
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: {}, _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } },
    },
    {
      jsonrpc: '2.0',
      id: 1,
      result: {
        resultType: 'complete',
        _meta: { ...serverInfo, 'io.modelcontextprotocol/subscriptionId': 1 },
      },
    },
  ]);
});

test('the local stack serves it without the prefix too', async () => {
  const { mcpToken } = await createMcpTenant(sql);
  const { base_url: baseUrl } = inject('stack');
  expect((await send(mcpToken, message('ping'), { url: `${baseUrl}/mcp` })).body.result).toEqual({});
  const places = [
    `${mcpUrl()}/.well-known/oauth-protected-resource`,
    `${baseUrl}/.well-known/oauth-protected-resource/mcp`,
  ];
  const answers = await Promise.all(places.map(async (place) => (await fetch(place)).json()));
  expect(answers[1]).toEqual(answers[0]);
});
