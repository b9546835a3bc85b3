// The official MCP client, with each era of the protocol: from only a URL and credentials to the result of a tool.
import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { expect, inject, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { createMcpTenant, MODERN, mcpUrl } from '../../support/mcp/mcp.ts';
import { createLead } from '../../support/records/record-flows.ts';

const sql = connectDatabase();

test.each([
  ['modern', { mode: { pin: MODERN } }, MODERN],
  ['automatic', { mode: 'auto' }, MODERN],
  ['legacy', { mode: 'legacy' }, '2025-11-25'],
] as const)(
  'the %s client finds the token endpoint, lists tools and calls one',
  async (_, versionNegotiation, version) => {
    const { token, client } = await createMcpTenant(sql);
    const lead = await createLead(token);
    const mcp = new Client({ name: 'tests', version: '1.2.3' }, { versionNegotiation });
    const transport = new StreamableHTTPClientTransport(new URL(mcpUrl()), {
      authProvider: new ClientCredentialsProvider({
        clientId: client.client_id,
        clientSecret: client.client_secret,
        expectedIssuer: `${inject('stack').base_url}/functions/v1/oauth`,
      }),
    });
    await mcp.connect(transport);
    expect(mcp.getNegotiatedProtocolVersion()).toBe(version);
    expect(mcp.getServerVersion()?.name).toBe('placar');
    const { tools } = await mcp.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toContain('find_leads');
    // The token has only the scopes that read.
    expect(names).not.toContain('log_activity');
    const result = await mcp.callTool({ name: 'find_leads', arguments: { search: lead.email } });
    expect(result.structuredContent).toEqual({ items: [lead], next_cursor: null });
    await mcp.close();
  },
);
