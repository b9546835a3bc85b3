// Administration of payments by the API: decisions on payouts, rules, accounts and persons.
import { expect, inject, test } from 'vitest';
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

test('a payout whose beneficiary was erased is rejected, not approved', async () => {
  const { id: tenantId, call, waiting } = await createWorkspace();
  const id = await waiting();
  await sql`update payouts set beneficiary = beneficiary || '{"email": "erased@example.com"}' where id = ${id}`;
  await sql`select admin.erase_person(${tenantId}, 'erased@example.com')`;
  const approved = await call('POST', `/payouts/${id}/approve`);
  expect([approved.status, approved.body.error.message]).toEqual([409, expect.stringContaining('erased')]);
  expect((await call('POST', `/payouts/${id}/reject`, { reason: 'Erased' })).status).toBe(200);
});

test('the database refuses to send a payout that waits for approval', async () => {
  const { waiting } = await createWorkspace();
  const id = await waiting();
  for (const status of ['processing', 'incoming_payment_waiting', 'paid'])
    await expect(sql`update payouts set status = ${status} where id = ${id}`).rejects.toThrow(
      'payouts_check',
    );
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

test('who created or rotated a credential counts as it, directly and through others', async () => {
  const { id, apiKeyId, call } = await createWorkspace();
  const clientWith = async (scopes: string[], as: typeof call = call) => {
    const made = await as('POST', '/clients', { label: 'x', scopes });
    expect(made.status).toBe(201);
    return made.body.data as { client_id: string; client_secret: string };
  };
  const callAs = async (client: { client_id: string; client_secret: string }): Promise<typeof call> => {
    const { body } = await requestToken(grant(client));
    return (method, path, sent) => records(String(body.access_token), method, `/admin${path}`, sent);
  };
  const keyOf = async (as: typeof call) =>
    (await as('POST', '/api-keys', { label: 'x', scopes: ['payments:write'] })).body.data as {
      id: string;
      api_key: string;
    };
  const payoutBy = async (apiKey: string) => (await pay(apiKey, '/payouts', pixPayout())).body.id as string;
  const decide = async (as: typeof call, payout: string) => [
    (await as('POST', `/payouts/${payout}/approve`)).status,
    (await as('POST', `/payouts/${payout}/reject`, { reason: 'x' })).status,
  ];
  const refused = [403, 403];

  const key = await keyOf(call);
  const own = await payoutBy(key.api_key);
  expect(await decide(call, own)).toEqual(refused);
  // A twin of the client, and a twin of the twin.
  const twin = await callAs(await clientWith(ADMIN_SCOPES));
  expect(await decide(twin, own)).toEqual(refused);
  const second = await callAs(await clientWith(['approve:payouts'], twin));
  expect(await decide(second, own)).toEqual(refused);
  expect(await decide(call, await payoutBy((await keyOf(twin)).api_key))).toEqual(refused);

  // Another client, whose secret this one replaces, and a key that it replaces.
  const approver = await createOAuthClient(sql, id, { scopes: ['approve:payouts'] });
  const rotated = await call('POST', `/clients/${approver.client_id}/rotate-secret`);
  expect(await decide(await callAs(rotated.body.data), own)).toEqual(refused);
  const fresh = await call('POST', `/api-keys/${apiKeyId}/rotate`);
  expect(await decide(call, await payoutBy(fresh.body.data.api_key))).toEqual(refused);

  // Created by an admin, and by nobody who could have requested the payout.
  const other = await createOAuthClient(sql, id, { scopes: ['approve:payouts'] });
  expect(await decide(await callAs(other), own)).toEqual([200, 409]);
});

test('raising or ending a rule of approvals needs approve:payouts', async () => {
  const { id, call } = await createWorkspace();
  const client = await createOAuthClient(sql, id, { scopes: ['manage:payments'] });
  const { body } = await requestToken(grant(client));
  const set = (above: number | null) =>
    records(String(body.access_token), 'PUT', '/admin/payout-approval-rules', { above_amount: above });
  const raised = await set(100);
  expect(raised.body.error.message).toBe('Raising or removing a payout approval rule requires more rights.');
  expect([raised.status, (await set(null)).status, (await set(0)).status]).toEqual([403, 403, 200]);
  expect((await call('PUT', '/payout-approval-rules', { above_amount: null })).status).toBe(200);
  expect((await call('GET', '/payout-approval-rules')).body.data).toEqual([]);
});

test('routes and default cost centers that are set concurrently are all accepted, and neither they nor rules are unlimited', async () => {
  const { id, call } = await createWorkspace();
  const route = { kind: 'charge', region: 'br', currency: 'BRL', method: 'pix' };
  const numbers = Array.from({ length: 8 }, (_, i) => i);
  const replies = await Promise.all(
    numbers.flatMap((i) => [
      call('PUT', '/provider-routes', { ...route, providers: i % 2 ? ['sandbox'] : ['asaas', 'sandbox'] }),
      call('PUT', `/cost-centers/c${i % 3}`, { name: `Center ${i}`, is_default: true }),
    ]),
  );
  expect(replies.filter(({ status }) => status >= 300)).toEqual([]);
  expect(await sql`select from cost_centers where tenant_id = ${id} and is_default`).toHaveLength(1);

  const codes = sql`select chr(65 + n / 26) || chr(65 + n % 26) || 'Q' as code from generate_series(0, 498) as n`;
  await sql`insert into payout_approval_rules select ${id}, code, 1 from (${codes}) as c`;
  await sql`
    insert into provider_routes (tenant_id, kind, region, currency, preference, provider)
    select ${id}, 'payout', '*', code, 1, 'wise' from (${codes}) as c`;
  const more = [
    await call('PUT', '/provider-routes', { ...route, region: 'us', providers: ['stripe'] }),
    await call('PUT', '/provider-routes', { ...route, providers: ['sandbox'] }),
    await call('PUT', '/payout-approval-rules', { currency: 'USD', above_amount: 1 }),
    await call('PUT', '/payout-approval-rules', { currency: 'BRL', above_amount: 1 }),
  ];
  expect(more.map(({ status }) => status)).toEqual([422, 200, 422, 200]);
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
  const settings = { taxes: { iss: 'x' } };
  const unfit = await call('PUT', '/provider-accounts/asaas', {
    api_key: `$aact_hmlg_${'x'.repeat(40)}`,
    settings,
  });
  expect([unfit.status, unfit.body.error.details]).toEqual([
    422,
    [{ field: 'settings.taxes.iss', message: 'must be a percentage from 0 to 100 with at most 4 decimals' }],
  ]);
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

test('payouts are found by their beneficiary, and an unknown status is 400', async () => {
  const { call, waiting } = await createWorkspace();
  const id = await waiting();
  const { beneficiary_name: name } = (await call('GET', `/payouts/${id}`)).body.data;
  const find = async (search: string) =>
    (await call('GET', `/payouts?search=${encodeURIComponent(search)}`)).body.data;
  expect([await find(name.toUpperCase()), await find(`${name}x`)]).toMatchObject([[{ id }], []]);
  const { status, body } = await call('GET', '/payouts?status=waiting');
  expect([status, body.error.details[0].field]).toEqual([400, 'status']);
});

test('a webhook changes only in the version that the caller read', async () => {
  const { call } = await createWorkspace();
  const url = `${inject('stack').inbox_url}/records/${crypto.randomUUID()}`;
  const made = await call('POST', '/payment-webhooks', { url, events: ['payout.paid'] });
  const path = `/payment-webhooks/${made.body.data.id}`;
  const read = await call('GET', path);
  const etag = read.headers.get('etag') ?? '';
  expect((await call('GET', path, undefined, { 'If-None-Match': etag })).status).toBe(304);
  const ifMatch = { 'If-Match': etag };
  const changed = await call('PATCH', path, { description: 'Bookkeeping' }, ifMatch);
  expect([changed.status, changed.body.meta.summary]).toEqual([200, expect.stringContaining('Bookkeeping')]);
  const late = [
    await call('PATCH', path, { description: 'Other' }, ifMatch),
    await call('POST', `${path}/pause`, undefined, ifMatch),
    await call('POST', `${path}/rotate-secret`, undefined, ifMatch),
    await call('POST', `${path}/test`, undefined, ifMatch),
    await call('POST', `${path}/replay`, { failed: true }, ifMatch),
    await call('DELETE', path, undefined, ifMatch),
  ];
  const [first] = late;
  expect(late.map(({ status }) => status)).toEqual(late.map(() => 412));
  expect([first?.headers.get('etag'), first?.body.error.current.description]).toEqual([
    changed.headers.get('etag'),
    'Bookkeeping',
  ]);
  const current = { 'If-Match': changed.headers.get('etag') ?? '' };
  const paused = await call('POST', `${path}/pause`, undefined, current);
  expect([paused.status, paused.headers.get('etag') === changed.headers.get('etag')]).toEqual([200, false]);
  expect((await call('DELETE', path, undefined, { 'If-Match': '*' })).status).toBe(204);
});

test('differences with a provider, and warnings of its account, are those of SQL and of this tenant', async () => {
  const { call, id } = await createWorkspace();
  const [account] = await sql`
    insert into provider_accounts (tenant_id, provider, status, webhook_warning)
    values (${id}, 'asaas', 'active', 'Too many events') returning id`;
  await sql`
    insert into provider_differences (tenant_id, account_id, kind, subject, theirs, resolved_at)
    values (${id}, ${account?.id}, 'unknown_order', 'pay_1', '{"amount": 1}', null),
           (${id}, ${account?.id}, 'amount', 'pay_2', '{"amount": 2}', now())`;
  const find = async (query: string) => (await call('GET', `/provider-differences?${query}`)).body.data;
  expect(await find('resolved=false')).toMatchObject([
    {
      account_id: account?.id,
      provider: 'asaas',
      kind: 'unknown_order',
      subject: 'pay_1',
      ours: null,
      theirs: { amount: 1 },
    },
  ]);
  expect((await find(`account_id=${account?.id}`)).length).toBe(2);
  expect(await find('search=PAY_2&resolved=true')).toMatchObject([{ subject: 'pay_2' }]);
  const { data } = (await call('GET', `/provider-accounts/${account?.id}`)).body;
  const [row] =
    await sql`select warnings, tax_regime, national_portal from admin.provider_accounts where id = ${account?.id}`;
  expect(data).toMatchObject(row ?? {});
  expect(data.warnings[0]).toContain('Too many events');
  const other = await createWorkspace();
  expect((await other.call('GET', '/provider-differences')).body.data).toEqual([]);
});

test.each([
  [{ kind: 'payout', region: 'br', currency: 'BRL', method: 'pix', providers: ['sandbox'] }, 'method'],
  [{ kind: 'charge', region: 'br', currency: 'BRL', providers: ['wise'] }, 'providers'],
  [{ kind: 'charge', region: 'br', currency: 'BRL', providers: ['stripe', 'stripe'] }, 'providers'],
])('a route %j is 400 naming %s', async (body, field) => {
  const { call } = await createWorkspace();
  const { status, body: answer } = await call('PUT', '/provider-routes', body);
  expect([status, answer.error.details[0].field]).toEqual([400, field]);
});

test('an account whose key is replaced keeps its settings, unless others are given', async () => {
  const { call } = await createWorkspace();
  const connect = async (settings?: object) => {
    const api_key = `$aact_hmlg_${crypto.randomUUID()}`;
    const { status, body } = await call('PUT', '/provider-accounts/asaas', {
      api_key,
      ...(settings && { settings }),
    });
    return [status, body.data?.settings];
  };
  const settings = { municipal_service_code: '1.01', taxes: { iss: 5 } };
  expect(await connect(settings)).toEqual([201, settings]);
  expect(await connect()).toEqual([200, settings]);
  expect(await connect({ taxes: { iss: 3 } })).toEqual([200, { taxes: { iss: 3 } }]);
});

test.each([
  ['POST', '/balance-adjustments', { amount: 1, reason: 'Correction' }],
  ['PUT', '/payout-approval-rules', { above_amount: 1 }],
])('%s %s: currencies that do not exist are 400', async (method, path, body) => {
  const { call } = await createWorkspace();
  for (const currency of ['ZZZ', 'XAU', 'brl']) {
    const sent = { ...body, currency };
    const answer = await call(method, path, sent, { 'Idempotency-Key': crypto.randomUUID() });
    expect([answer.status, answer.body.error.details?.[0]?.field]).toEqual([400, 'currency']);
  }
});

test('a wrong setting is named by its place, and a disconnected account is not compared', async () => {
  const { call } = await createWorkspace();
  const wrong = { token: crypto.randomUUID(), settings: { profile_id: 'x' } };
  const refused = await call('PUT', '/provider-accounts/wise', wrong);
  expect([refused.status, refused.body.error.details[0]?.field]).toEqual([422, 'settings.profile_id']);
  const key = { api_key: `sk_test_${crypto.randomUUID().replaceAll('-', '')}` };
  const { data } = (await call('PUT', '/provider-accounts/stripe', key)).body;
  await sql`update provider_accounts set disconnected_at = now(), status = 'disconnected' where id = ${data.id}`;
  const compared = await call('POST', `/provider-accounts/${data.id}/reconcile`);
  expect([compared.status, compared.body.error.state]).toEqual([409, 'disconnected']);
});

test('lists of what has no name are sorted by time only', async () => {
  const { call } = await createWorkspace();
  const sorted = async (path: string, sort: string) => (await call('GET', `${path}?sort=${sort}`)).status;
  for (const path of ['/payment-webhooks', `/players/${crypto.randomUUID()}/points`])
    expect([path, await sorted(path, 'name')]).toEqual([path, 400]);
  expect(await sorted('/payment-webhooks', '-created_at')).toBe(200);
});

test('a route that is set again is not recorded again', async () => {
  const { id, call } = await createWorkspace();
  const route = { kind: 'charge', region: 'br', currency: 'BRL', providers: ['asaas', 'sandbox'] };
  await call('PUT', '/provider-routes', route);
  const rows = () =>
    sql`select id from admin_changes where tenant_id = ${id} and subject_kind = 'provider_route'`;
  const before = await rows();
  const again = await call('PUT', '/provider-routes', route);
  expect([again.status, again.body.meta.summary]).toEqual([200, 'Nothing changed.']);
  expect(await rows()).toEqual(before);
  await call('PUT', '/provider-routes', { ...route, providers: ['sandbox', 'asaas'] });
  expect((await rows()).length).toBeGreaterThan(before.length);
});
