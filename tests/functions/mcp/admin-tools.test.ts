// Admin tools: the same data and acts as the admin API, with their own mark in the audit trail.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import type { Json } from '../../support/gamification/sync.ts';
import { createMcpTenant, mcpTokenOf } from '../../support/mcp/mcp.ts';
import { dataOf, refusalOf } from '../../support/mcp/tool-results.ts';
import { grant, requestToken } from '../../support/oauth.ts';
import { createUser, expectData, newEmail } from '../../support/records/record-flows.ts';
import { createToken, records } from '../../support/records/records.ts';

const sql = connectDatabase();

const apiOf = (token: string) => (path: string) => expectData(token, 'GET', `/admin${path}`, 200);

test('returns the same workspace, gamification and automations as the API', async () => {
  const { id, token, mcpToken } = await createMcpTenant(sql);
  const api = apiOf(token);
  await expectData(token, 'POST', '/admin/missions', 201, { name: 'Demo given', points: 10, codes: ['010'] });
  await createUser(token);
  await expectData(token, 'PUT', '/admin/point-rules', 201, { event: 'deal.won', points: 3 });
  await expectData(token, 'POST', '/admin/tiers', 201, { name: 'Gold', min_points: 100 });
  const rule = { name: 'Tag', event: 'lead.created', actions: [{ type: 'add_tag', tag: 'x' }] };
  const automation = await expectData(token, 'POST', '/admin/automations', 201, rule);
  expect(await dataOf(mcpToken, 'get_workspace')).toEqual({
    settings: await api('/settings'),
    plan: await api('/plan'),
  });
  for (const kind of [
    'missions',
    'activity_codes',
    'point_rules',
    'tiers',
    'badges',
    'challenges',
    'seasons',
    'stages',
    'players',
  ])
    expect([kind, await dataOf(mcpToken, 'list_gamification', { kind })]).toEqual([
      kind,
      { items: await api(`/${kind.replace('_', '-')}`), next_cursor: null },
    ]);
  expect((await dataOf(mcpToken, 'list_automations')).items).toEqual([automation]);
  expect(await dataOf(mcpToken, 'list_automations', { automation: 'tag' })).toEqual({
    items: [],
    next_cursor: null,
  });
  expect(await refusalOf(mcpToken, 'list_automations', { automation: 'none' })).toEqual([
    expect.stringMatching(/^NOT_FOUND: /),
  ]);
  expect(await refusalOf(mcpToken, 'list_gamification', { kind: 'tiers', mapped: 'true' })).toContain(
    'mapped: is only for activity_codes',
  );
  const other = await createMcpTenant(sql);
  expect(await refusalOf(other.mcpToken, 'list_automations', { automation: automation.id })).toEqual([
    expect.stringMatching(/^NOT_FOUND: /),
  ]);
  expect((await dataOf(other.mcpToken, 'list_gamification', { kind: 'missions' })).items).toEqual([]);
  expect(await sql`select name from missions where tenant_id = ${id}`).toEqual([{ name: 'Demo given' }]);
});

test('a mission is created and changed by its name', async () => {
  const { token, mcpToken } = await createMcpTenant(sql);
  const saved = await dataOf(mcpToken, 'save_mission', { name: 'Demo given', points: 10, codes: ['010'] });
  expect(saved).toMatchObject({
    name: 'Demo given',
    points: 10,
    codes: ['010'],
    summary: expect.stringContaining('Demo given'),
  });
  const changed = await dataOf(mcpToken, 'save_mission', { name: ' demo GIVEN', points: 20 });
  expect(changed).toMatchObject({ id: saved.id, name: 'Demo given', points: 20, codes: ['010'] });
  const { summary: _, ...mission } = changed;
  expect(await apiOf(token)('/missions')).toEqual([mission]);
  const two = await Promise.all(
    [1, 2].map((points) => dataOf(mcpToken, 'save_mission', { name: 'Call', points })),
  );
  expect(new Set(two.map(({ id }) => id)).size).toBe(1);
  expect(await refusalOf(mcpToken, 'save_mission', { name: 'New' })).toContain('points: is required');
  expect(await refusalOf(mcpToken, 'save_mission', { name: '', points: -1 })).toHaveLength(3);
});

test('each write adds a row to the audit trail, with `via` mcp and the name of the MCP host', async () => {
  const { token, client, mcpToken } = await createMcpTenant(sql);
  const { email } = await createUser(token);
  await dataOf(mcpToken, 'save_mission', { name: 'Demo', points: 1 });
  await dataOf(mcpToken, 'set_point_rule', { event: 'deal.won', points: 3 });
  await dataOf(mcpToken, 'create_challenge', {
    name: 'Sprint',
    metric: 'deals_won',
    target: 5,
    starts_at: '2026-03-02',
    ends_at: '2026-03-09',
  });
  const adjustment = { email, points: 5, reason: 'Quiz', idempotency_key: crypto.randomUUID() };
  const adjusted = await dataOf(mcpToken, 'adjust_points', adjustment);
  expect(adjusted).toMatchObject({ email, points: 5, total_points: 5, summary: expect.any(String) });
  // The same key at the API is the same request.
  expect(await dataOf(mcpToken, 'adjust_points', adjustment)).toEqual(adjusted);
  const { idempotency_key: key, ...body } = adjustment;
  const { body: granted } = await requestToken(grant(client));
  const headers = { 'Idempotency-Key': key };
  const replay = await records(granted.access_token, 'POST', '/admin/points/adjustments', body, { headers });
  expect([replay.status, replay.headers.get('idempotent-replay')]).toEqual([201, 'true']);
  expect(await refusalOf(mcpToken, 'adjust_points', { ...adjustment, points: 6 })).toEqual([
    expect.stringMatching(/^IDEMPOTENCY_KEY_REUSED: /),
  ]);
  expect(await refusalOf(mcpToken, 'adjust_points', { email, points: 5, reason: 'Quiz' })).toContain(
    'idempotency_key: is required',
  );
  const nobody = { ...adjustment, email: newEmail(), idempotency_key: crypto.randomUUID() };
  const refused = await refusalOf(mcpToken, 'adjust_points', nobody);
  expect(refused[0]).toMatch(/^UNPROCESSABLE_ENTITY: /);
  expect(await refusalOf(mcpToken, 'adjust_points', nobody)).toEqual(refused);
  const changes = await dataOf(mcpToken, 'find_changes', { via: 'mcp' });
  expect(changes.items).toEqual(await apiOf(token)('/changes?via=mcp'));
  expect(changes.items.map(({ act, program, actor }: Json) => [act, program, actor.id])).toEqual(
    ['points.adjusted', 'challenge.created', 'point_rule.created', 'mission.created'].map((act) => [
      act,
      'tests/1.2.3',
      client.client_id,
    ]),
  );
});

test('logs are paged by cursor without losing entries', async () => {
  const { token, mcpToken } = await createMcpTenant(sql);
  for (let i = 0; i < 5; i++) await dataOf(mcpToken, 'save_mission', { name: `Mission ${i}`, points: i });
  const all = await apiOf(token)('/changes?act=mission.created');
  const first = await dataOf(mcpToken, 'find_changes', { act: 'mission.created', limit: 3 });
  const second = await dataOf(mcpToken, 'find_changes', {
    act: 'mission.created',
    limit: 3,
    cursor: first.next_cursor,
  });
  expect([...first.items, ...second.items]).toEqual(all);
  expect(second.next_cursor).toBeNull();
  expect(await refusalOf(mcpToken, 'find_changes', { cursor: 'nonsense' })).toEqual([
    'VALIDATION_ERROR: Fix these arguments.',
    'cursor: must be the next_cursor of the same list with the same arguments',
  ]);
  const [written] = await sql`select request_id from admin_changes where id = ${all[0].id}`;
  const { items } = await dataOf(mcpToken, 'find_requests', { request_id: written?.request_id });
  expect(items).toEqual(await apiOf(token)(`/requests/${written?.request_id}`));
  expect(items.map(({ function: name, path, status }: Json) => [name, path, status])).toEqual([
    ['mcp', '/mcp/tools/call/save_mission', 201],
  ]);
});

test('payouts are listed with read:payments only', async () => {
  const { id, client } = await createMcpTenant(sql, { scopes: ['admin', 'read:payments'] });
  const { token } = await createToken(sql, id, { scopes: ['read:payments'] });
  const mcpToken = await mcpTokenOf(client);
  expect((await dataOf(mcpToken, 'list_payouts', { waiting: 'approval' })).items).toEqual(
    await apiOf(token)('/payouts'),
  );
});
