// Administration of payments by the API: decisions on payouts, rules, accounts and persons.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../../support/database.ts';
import { createOAuthClient, grant, requestToken } from '../../../support/oauth.ts';
import { createPayTenant, untilStatus } from '../../../support/payments/payment-flows.ts';
import { pay, pixPayout } from '../../../support/payments/payments.ts';
import { ADMIN_SCOPES } from '../../../support/records/admin-examples.ts';
import { records } from '../../../support/records/records.ts';

const sql = connectDatabase();

async function createWorkspace() {
  const tenant = await createPayTenant(sql);
  const client = await createOAuthClient(sql, tenant.id, { scopes: ADMIN_SCOPES });
  const { body } = await requestToken(grant(client));
  const token = String(body.access_token);
  const call = (method: string, path: string, sent?: unknown, headers: Record<string, string> = {}) =>
    records(token, method, `/admin${path}`, sent, { headers });
  expect((await call('PUT', '/payout-approval-rules', { above_amount: 0 })).status).toBe(200);
  const waiting = async () => (await pay(tenant.apiKey, '/payouts', pixPayout())).body.id as string;
  return { ...tenant, client, call, waiting };
}

test('approved and rejected at once, a payout is one of both, and is sent once', async () => {
  const { call, waiting, apiKey } = await createWorkspace();
  const id = await waiting();
  expect(
    (await call('GET', '/payouts?waiting=approval')).body.data.map((payout: { id: string }) => payout.id),
  ).toEqual([id]);
  const replies = await Promise.all([
    call('POST', `/payouts/${id}/approve`),
    call('POST', `/payouts/${id}/approve`),
  ]);
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  const late = await call('POST', `/payouts/${id}/reject`, { reason: 'Ordered twice' });
  expect([late.status, late.body.error.state]).toEqual([409, 'approved']);
  await untilStatus(apiKey, `/payouts/${id}`, 'paid');
  expect((await call('GET', `/payouts/${id}`)).body.data.requested_by.kind).toBe('api_key');
  const other = await waiting();
  expect(
    (await call('POST', `/payouts/${other}/reject`, { reason: 'Ordered twice' })).body.data,
  ).toMatchObject({
    status: 'failed',
    approval: 'rejected',
    failure_reason: 'Ordered twice',
  });
});

test('the client that requested a payout does not decide on it, nor does another tenant', async () => {
  const { call, waiting, client } = await createWorkspace();
  const id = await waiting();
  await sql`update payouts set requested_by = ${sql.json({ kind: 'client', id: client.client_id })} where id = ${id}`;
  expect((await call('POST', `/payouts/${id}/approve`)).status).toBe(403);
  const other = await createWorkspace();
  expect((await other.call('POST', `/payouts/${id}/approve`)).status).toBe(404);
  expect((await sql`select approval from payouts where id = ${id}`)[0]?.approval).toBe('waiting');
});

test('raising or ending a rule of approvals needs approve:payouts', async () => {
  const { id, call } = await createWorkspace();
  const client = await createOAuthClient(sql, id, { scopes: ['manage:payments'] });
  const { body } = await requestToken(grant(client));
  const set = async (above: number | null) =>
    (await records(String(body.access_token), 'PUT', '/admin/payout-approval-rules', { above_amount: above }))
      .status;
  expect([await set(100), await set(null), await set(0)]).toEqual([403, 403, 200]);
  expect((await call('PUT', '/payout-approval-rules', { above_amount: null })).status).toBe(200);
  expect((await call('GET', '/payout-approval-rules')).body.data).toEqual([]);
});

test('a key of a provider is in no answer, log or audit row, and another tenant cannot use it', async () => {
  const { call, id } = await createWorkspace();
  const key = `sk_test_${crypto.randomUUID().replaceAll('-', '')}`;
  const made = await call('PUT', '/provider-accounts/stripe', { api_key: key });
  expect([made.status, (await call('PUT', '/provider-accounts/stripe', { api_key: key })).status]).toEqual([
    201, 200,
  ]);
  const other = await createWorkspace();
  const taken = await other.call('PUT', '/provider-accounts/stripe', { api_key: key });
  expect([taken.status, JSON.stringify(taken.body)]).toEqual([409, expect.not.stringContaining(id)]);
  const stored = await sql`select c::text as row from admin_changes c where tenant_id = ${id}`;
  expect(
    [JSON.stringify(made.body), ...stored.map(({ row }) => row)].filter((text) => text.includes(key)),
  ).toEqual([]);
  const wrong = await call('PUT', '/provider-accounts/stripe', { api_key: '$aact_hmlg_x' });
  expect([wrong.status, wrong.body.error.details[0].field]).toEqual([422, 'api_key']);
});

test('twenty exports and erasures an hour, then 429', async () => {
  const { call, id } = await createWorkspace();
  await sql`
    insert into admin_changes (tenant_id, via, actor_kind, act, subject_kind, summary)
    select ${id}, 'api', 'client', 'person.exported', 'person', 'x' from generate_series(1, 19)`;
  expect((await call('POST', '/persons/export', { email: 'a@example.com' })).status).toBe(200);
  const limited = await call('POST', '/persons/erase', { email: 'a@example.com', confirm: 'a@example.com' });
  expect([limited.status, Number(limited.headers.get('retry-after')) > 3000]).toEqual([429, true]);
});

test.each(['constructor', '__proto__', 'toString'])('%s is no provider: 404', async (provider) => {
  const { call } = await createWorkspace();
  const { status } = await call('PUT', `/provider-accounts/${provider}`, { api_key: 'x' });
  expect(status).toBe(404);
});
