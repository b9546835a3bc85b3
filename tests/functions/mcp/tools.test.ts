import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { ask, callTool, createMcpTenant } from '../../support/mcp/mcp.ts';
import { createDeal, createLead } from '../../support/records/record-flows.ts';

const sql = connectDatabase();

test('try', async () => {
  const { token, mcpToken } = await createMcpTenant(sql);
  const lead = await createLead(token);
  const deal = await createDeal(token);
  console.log(JSON.stringify((await ask(mcpToken, 'server/discover')).body));
  const listed = await ask(mcpToken, 'tools/list');
  console.log(
    listed.status,
    [...listed.headers],
    listed.body.result?.tools?.map((t: { name: string }) => t.name),
    listed.body.error,
  );
  console.log(JSON.stringify(await callTool(mcpToken, 'find_leads')));
  console.log(JSON.stringify(await callTool(mcpToken, 'get_record', { kind: 'deal', id: deal.id })));
  console.log(JSON.stringify(await callTool(mcpToken, 'get_record', { kind: 'lead', id: lead.id })));
  console.log(JSON.stringify(await callTool(mcpToken, 'get_standings')));
  console.log(JSON.stringify(await callTool(mcpToken, 'get_points', { user: 'nobody@example.com' })));
  console.log(JSON.stringify(await callTool(mcpToken, 'log_activity', { type: 'call', deal_id: deal.id })));
  console.log(JSON.stringify(await callTool(mcpToken, 'log_activity', { type: 'calls' })));
  console.log(
    JSON.stringify(
      await ask(mcpToken, 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
    ),
  );
  console.log(
    JSON.stringify(
      await sql`select function, method, path, status, reason, fields, query from request_log where function = 'mcp' order by at desc limit 10`,
    ),
  );
  expect(1).toBe(2);
});
