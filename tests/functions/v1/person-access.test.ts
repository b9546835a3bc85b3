// What each preset opens, path by path, and how people are named in the audit trail and in the request log.
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { ask, mcpUrl } from '../../support/mcp/mcp.ts';
import { dataOf } from '../../support/mcp/tool-results.ts';
import { createPayTenant } from '../../support/payments/payment-flows.ts';
import { invoice, pixPayout } from '../../support/payments/payments.ts';
import { createPerson, exchange, type Person } from '../../support/persons.ts';
import { records } from '../../support/records/records.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const presets = ['seller', 'manager', 'finance', 'admin'] as const;
type Preset = (typeof presets)[number];

const everyone = presets;
const managing: Preset[] = ['manager', 'admin'];
const paying: Preset[] = ['manager', 'finance', 'admin'];
const money: Preset[] = ['finance', 'admin'];
const ids = { user: crypto.randomUUID(), payout: 'po_00000000000000000000000000' };

/** Paths, a body, and the presets that open them. */
const doors: [method: string, path: string, body: object | undefined, presets: readonly Preset[]][] = [
  ['GET', '/v1/me', undefined, everyone],
  ['GET', '/v1/me/points', undefined, everyone],
  ['GET', '/v1/users/me', undefined, everyone],
  ['GET', '/v1/standings', undefined, everyone],
  ['GET', '/v1/seasons', undefined, everyone],
  ['GET', '/v1/leads', undefined, managing],
  ['POST', '/v1/leads', {}, managing],
  ['GET', '/v1/deals', undefined, managing],
  ['POST', '/v1/opportunities', {}, managing],
  ['GET', '/v1/users', undefined, managing],
  ['POST', '/v1/users', {}, ['admin']],
  ['PATCH', `/v1/users/${ids.user}`, {}, ['admin']],
  ['GET', '/v1/teams', undefined, managing],
  ['POST', '/v1/teams', {}, ['admin']],
  ['GET', '/v1/webhooks', undefined, ['admin']],
  ['POST', '/v1/webhooks', {}, ['admin']],
  ['GET', '/v1/admin/settings', undefined, managing],
  ['PATCH', '/v1/admin/settings', {}, ['admin']],
  ['GET', '/v1/admin/changes', undefined, ['admin']],
  ['GET', '/v1/admin/requests', undefined, ['admin']],
  ['POST', '/v1/admin/missions', {}, ['admin']],
  ['POST', '/v1/admin/automations', {}, ['admin']],
  ['GET', '/v1/admin/payouts', undefined, paying],
  ['POST', `/v1/admin/payouts/${ids.payout}/approve`, {}, money],
  ['PUT', '/v1/admin/payout-approval-rules', {}, money],
  ['GET', '/v1/admin/users', undefined, ['admin']],
  ['PUT', `/v1/admin/users/${ids.user}/access`, {}, ['admin']],
  ['POST', '/v1/admin/clients', {}, ['admin']],
  ['POST', '/v1/admin/boards', {}, ['admin']],
  ['POST', '/v1/admin/persons/erase', {}, ['admin']],
  ['GET', '/payments/invoices', undefined, paying],
  ['GET', '/payments/balance-transactions', undefined, paying],
  ['POST', '/payments/invoices', {}, money],
  ['POST', `/payments/payouts/${ids.payout}/cancel`, {}, money],
  ['POST', '/payments/webhooks', {}, money],
  ['POST', '/payments/payouts', {}, paying],
];

const send = async (token: string, method: string, path: string, body?: object): Promise<number> => {
  const response = await fetch(`${inject('stack').base_url}/functions/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  await response.body?.cancel();
  return response.status;
};

describe.each(presets)('the preset %s', (preset) => {
  let person: Person;
  beforeAll(async () => {
    person = await createPerson(sql, (await createTenant(sql)).id, { access: preset });
  });

  test('opens its paths, and no others', async () => {
    const opened: string[] = [];
    for (const [method, path, body] of doors) {
      const status = await send(person.token, method, path, body);
      expect([path, status]).toEqual([
        path,
        expect.toSatisfy((code) => code < 500 && ![401, 405, 429].includes(code)),
      ]);
      if (status !== 403) opened.push(`${method} ${path}`);
    }
    const expected = doors.filter(([, , , open]) => open.includes(preset));
    expect(opened).toEqual(expected.map(([method, path]) => `${method} ${path}`));
  });

  test('has tools of MCP that only read, unless more is asked for', async () => {
    const toolsOf = async (scope?: string) => {
      const { body } = await exchange(person.authToken, { resource: mcpUrl(), ...(scope && { scope }) });
      const { body: listed } = await ask(body.access_token, 'tools/list');
      return listed.result.tools.map(({ name }: { name: string }) => name);
    };
    const [usual, own] = [await toolsOf(), await toolsOf('self')];
    expect(usual).toContain('get_standings');
    for (const tool of ['request_payout', 'adjust_points', 'create_deal']) expect(usual).not.toContain(tool);
    expect(usual.includes('list_payouts')).toBe(paying.includes(preset));
    expect(own).toEqual(['get_points']);
  });
});

describe('the audit trail and the request log', () => {
  test('name the person, by each way, and are found by id and by address', async () => {
    const tenant = await createPayTenant(sql);
    const name = `Zoe ${crypto.randomUUID()}`;
    const zoe = await createPerson(sql, tenant.id, { access: 'admin', name });
    const admin = await createPerson(sql, tenant.id, { access: 'admin' });
    expect((await records(zoe.token, 'PATCH', '/admin/settings', { name: 'By the API' })).status).toBe(200);
    const { body } = await exchange(zoe.authToken, { resource: mcpUrl(), scope: 'admin' });
    await dataOf(body.access_token, 'set_point_rule', { event: 'deal.won', points: 5 });
    expect(await send(zoe.token, 'POST', '/payments/payouts', pixPayout())).toBe(201);
    expect(await send(zoe.token, 'POST', '/payments/invoices', invoice())).toBe(201);
    await sql`update users set name = 'Zoe Renamed' where id = ${zoe.userId}`;
    const acts = await sql`
      select distinct via, actor_kind, actor_id, actor_name from admin_changes
      where tenant_id = ${tenant.id} and actor_id = ${zoe.userId} order by via`;
    const by = { actor_kind: 'person', actor_id: zoe.userId, actor_name: name };
    expect([...acts]).toEqual([
      { via: 'api', ...by },
      { via: 'mcp', ...by },
    ]);
    const caller = { kind: 'person', id: zoe.userId, label: 'Zoe Renamed' };
    for (const value of [zoe.userId, zoe.email]) {
      const found = await waitFor(async () => {
        const reply = await records(admin.token, 'GET', `/admin/requests?caller=${value}&limit=100`);
        const rows: { function: string; caller: object }[] = reply.body.data;
        return new Set(rows.map((row) => row.function)).size === 4 ? rows : undefined;
      });
      expect(new Set(found.map((row) => row.function))).toEqual(new Set(['oauth', 'v1', 'mcp', 'payments']));
      for (const row of found) expect(row.caller).toEqual(caller);
    }
  });
});
