// request_payout: a payout that waits for a person, once per key, and not too many of them.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import type { Json } from '../../support/gamification/sync.ts';
import { ask, callTool, createMcpTenant, mcpTokenOf, mcpUrl } from '../../support/mcp/mcp.ts';
import { dataOf, refusalOf } from '../../support/mcp/tool-results.ts';
import { createOAuthClient } from '../../support/oauth.ts';
import { pixPayout } from '../../support/payments/payments.ts';
import { createPerson, exchange } from '../../support/persons.ts';
import { createToken, records } from '../../support/records/records.ts';

const sql = connectDatabase();

const newKey = () => ({ idempotency_key: crypto.randomUUID() });
const newTenant = () => createMcpTenant(sql, { scopes: ['request:payouts', 'read:payments'] });

test('a payout of one cent waits until another client approves it', async () => {
  const { id, client, mcpToken } = await newTenant();
  const requested = await dataOf(mcpToken, 'request_payout', { ...pixPayout({ amount: 1 }), ...newKey() });
  const { summary, ...payout } = requested;
  expect(summary).toBe(`Requested payout ${payout.id}. It waits for approval.`);
  expect(payout).toMatchObject({
    status: 'created',
    amount: 1,
    currency: 'BRL',
    our_number: expect.stringMatching(/./),
  });
  const [waiting] = (await dataOf(mcpToken, 'list_payouts', { waiting: 'approval' })).items;
  expect(waiting).toMatchObject({
    id: payout.id,
    approval: 'waiting',
    requested_by: { kind: 'client', id: client.client_id, label: 'test' },
  });
  const stored = () =>
    sql`select approval, ordered_at is null as unsent from payouts where tenant_id = ${id}`;
  expect(await stored()).toEqual([{ approval: 'waiting', unsent: true }]);
  const approver = await createToken(sql, id, { scopes: ['approve:payouts'] });
  expect((await records(approver.token, 'POST', `/admin/payouts/${payout.id}/approve`)).status).toBe(200);
  expect(await stored()).toMatchObject([{ approval: 'approved' }]);
});

test('a refused request names the argument idempotency_key, not the header', async () => {
  const { mcpToken } = await newTenant();
  const refused = await refusalOf(mcpToken, 'request_payout', {
    ...pixPayout({ currency: 'EUR' }),
    ...newKey(),
  });
  expect(refused[0]).toContain('with a fresh idempotency_key');
});

test('the same key is the same payout, for its client only', async () => {
  const { id, mcpToken } = await newTenant();
  const request = { ...pixPayout(), ...newKey() };
  const [first, ...others] = await Promise.all(
    Array.from({ length: 4 }, () => callTool(mcpToken, 'request_payout', request)),
  );
  // A concurrent request gets an error that names the conflict.
  const later = await dataOf(mcpToken, 'request_payout', request);
  for (const result of [first, ...others])
    expect(result.isError ? result.content[0].text : result.structuredContent).toEqual(
      result.isError ? expect.stringMatching(/^IDEMPOTENCY_KEY_IN_USE: /) : later,
    );
  expect(await refusalOf(mcpToken, 'request_payout', { ...request, amount: 9 })).toEqual([
    expect.stringMatching(/^IDEMPOTENCY_KEY_REUSED: /),
  ]);
  const other = await createOAuthClient(sql, id, { scopes: ['request:payouts'] });
  const own = await dataOf(await mcpTokenOf(other, 'request:payouts'), 'request_payout', request);
  expect(own.id).not.toBe(later.id);
  const stored = await sql`select id from payouts where tenant_id = ${id}`;
  expect(stored.map((row) => row.id).sort()).toEqual([own.id, later.id].sort());
});

test('those of persons wait too, whatever else a person may do, and have keys of their own', async () => {
  const { id } = await newTenant();
  const request = { ...pixPayout(), ...newKey() };
  for (const access of ['manager', 'finance']) {
    const person = await createPerson(sql, id, { access });
    const scope = access === 'finance' ? 'request:payouts manage:payments' : 'request:payouts';
    const { body } = await exchange(person.authToken, { audience: mcpUrl(), scope });
    const payout = await dataOf(body.access_token, 'request_payout', request);
    const [stored] =
      await sql`select approval, requested_by ->> 'id' as by from payouts where id = ${payout.id}`;
    expect(stored).toEqual({ approval: 'waiting', by: person.userId });
  }
});

test('twenty wait at most, however many are requested at once', async () => {
  const { id, mcpToken } = await newTenant();
  const results = await Promise.all(
    Array.from({ length: 23 }, () => callTool(mcpToken, 'request_payout', { ...pixPayout(), ...newKey() })),
  );
  const refused = results.filter(({ isError }: Json) => isError);
  expect(refused.map(({ content }: Json) => content[0].text.split('\n')[0])).toEqual(
    Array.from({ length: 3 }, () =>
      expect.stringMatching(/^UNPROCESSABLE_ENTITY: 20 requested payouts wait for approval\./),
    ),
  );
  expect(await sql`select id from payouts where tenant_id = ${id}`).toHaveLength(20);
  const [waiting] = await sql`select id from payouts where tenant_id = ${id} limit 1`;
  await sql`select admin.reject_payout(${waiting?.id}, 'No')`;
  await dataOf(mcpToken, 'request_payout', { ...pixPayout(), ...newKey() });
});

test('a wrong payout is refused by its fields, and one without the scope before that', async () => {
  const { id, mcpToken } = await newTenant();
  const wrong = { ...pixPayout({ amount: 0, currency: 'EUR' }), ...newKey() };
  const lines = await refusalOf(mcpToken, 'request_payout', wrong);
  expect(lines[0]).toMatch(/^VALIDATION_ERROR: /);
  expect(lines.slice(1).map((line) => line.split(':')[0])).toEqual(
    expect.arrayContaining(['amount', 'currency']),
  );
  expect(await refusalOf(mcpToken, 'request_payout', wrong)).toEqual(lines);
  const reader = await createOAuthClient(sql, id, { scopes: ['admin', 'read:payments'] });
  const reply = await ask(await mcpTokenOf(reader, 'admin'), 'tools/call', {
    name: 'request_payout',
    arguments: wrong,
  });
  expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([
    403,
    expect.stringContaining('scope="request:payouts"'),
  ]);
});
