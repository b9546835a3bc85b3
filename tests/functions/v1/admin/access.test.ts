// Permissions below /v1/admin: credentials, scopes of token and client, database roles, and other tenants.
import { expect, test } from 'vitest';
import { allOperations } from '../../../../functions/v1/admin/all.ts';
import type { AdminOperation } from '../../../../functions/v1/admin/operation.ts';
import { UNUSED } from '../../../../functions/v1/admin.openapi.ts';
import { changeReaders } from '../../../../shared/administration/logs/reads.ts';
import { recordsScopes } from '../../../../shared/platform/access/scopes.ts';
import { connectDatabase } from '../../../support/database.ts';
import { createOAuthClient, grant, requestToken } from '../../../support/oauth.ts';
import { createAdminTenant } from '../../../support/records/admin-examples.ts';
import { records } from '../../../support/records/records.ts';

const sql = connectDatabase();
const all = Object.entries(allOperations(UNUSED)).map(([name, it]) => ({
  name,
  ...(it as unknown as AdminOperation),
}));
const unknownIn = (path: string) =>
  `/admin${path.replaceAll(/:(\w+)/g, (_, name: string) => (name === 'code' ? '999' : crypto.randomUUID()))}`;

async function tokenWith(tenantId: string, scopes: string[]) {
  const client = await createOAuthClient(sql, tenantId, { scopes });
  const { body } = await requestToken(grant(client));
  return { ...client, token: String(body.access_token) };
}

test('an API key and a request without credentials get 401, not to be cached', async () => {
  const { apiKey } = await createAdminTenant(sql);
  for (const token of [apiKey, null]) {
    const reply = await records(token, 'GET', '/admin/missions');
    expect([reply.status, reply.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
    expect(reply.headers.get('cache-control')).toBe('no-store, no-transform');
  }
});

const INCLUDED = [
  'read:settings',
  'read:audit',
  'manage:gamification',
  'manage:automations',
  'manage:workspace',
];

test.each(recordsScopes)('%s opens what names it, and nothing else', async (scope) => {
  const tenant = await createAdminTenant(sql, ['read:leads']);
  const { token } = await tokenWith(tenant.id, [scope]);
  const owned = scope === 'admin' ? [scope, ...INCLUDED] : [scope];
  const replies = await Promise.all(
    all.map(async ({ name, method, path, scopes }) => {
      const body = method === 'get' || method === 'delete' ? undefined : {};
      const { status } = await records(token, method.toUpperCase(), unknownIn(path), body);
      return { name, isOpen: status !== 403, isExpected: scopes.some((one) => owned.includes(one)) };
    }),
  );
  expect(replies.filter(({ isOpen, isExpected }) => isOpen !== isExpected)).toEqual([]);
});

test('a scope that the client lost is gone from its tokens with the next request', async () => {
  const { token, client } = await createAdminTenant(sql);
  expect((await records(token, 'GET', '/admin/api-keys')).status).toBe(200);
  await sql`update oauth_clients set scopes = '{admin}' where client_id = ${client.client_id}`;
  const reply = await records(token, 'GET', '/admin/api-keys');
  expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([
    403,
    'Bearer realm="placar", error="insufficient_scope", scope="manage:access"',
  ]);
  expect((await records(token, 'POST', '/admin/clients', { label: 'x', scopes: ['admin'] })).status).toBe(
    403,
  );
  expect((await records(token, 'GET', '/admin/missions')).status).toBe(200);
});

test('a scope that the client got instead of the one in the token opens nothing for that token', async () => {
  const tenant = await createAdminTenant(sql, ['read:leads']);
  const client = await tokenWith(tenant.id, ['read:payments']);
  await sql`update oauth_clients set scopes = '{approve:payouts}' where client_id = ${client.client_id}`;
  const reply = await records(client.token, 'GET', '/admin/payouts');
  expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([
    403,
    'Bearer realm="placar", error="insufficient_scope", scope="read:payments"',
  ]);
});

test('a client with admin may ask for what admin includes, and for nothing of money, access and persons', async () => {
  const { client } = await createAdminTenant(sql, ['admin']);
  const ask = async (scope: string) => (await requestToken(grant(client, { scope }))).status;
  expect(await Promise.all(INCLUDED.map(ask))).toEqual(INCLUDED.map(() => 200));
  const named = recordsScopes.filter((scope) => /payments|payouts|access|persons/.test(scope));
  expect(named).toHaveLength(6);
  expect(await Promise.all(named.map(ask))).toEqual(named.map(() => 400));
});

test('nobody gives scopes that they lack, changes a credential that has them, or replaces its secret', async () => {
  const tenant = await createAdminTenant(sql);
  const { token } = await tokenWith(tenant.id, ['manage:access', 'read:leads']);
  const other = tenant.client.client_id;
  const [key] = (await records(tenant.token, 'GET', '/admin/api-keys')).body.data;
  const refused = [
    await records(token, 'POST', '/admin/clients', { label: 'x', scopes: ['read:leads', 'admin'] }),
    await records(token, 'POST', '/admin/api-keys', { label: 'x', scopes: ['payments:read'] }),
    await records(token, 'PATCH', `/admin/clients/${other}`, { scopes: ['read:leads'] }),
    await records(token, 'PATCH', `/admin/api-keys/${key.id}`, { label: 'y' }),
    await records(token, 'POST', `/admin/clients/${other}/rotate-secret`),
    await records(token, 'POST', `/admin/api-keys/${key.id}/rotate`),
  ];
  for (const { status, body, headers } of refused) {
    expect([status, body.error.code, body.error.details[0].field]).toEqual([403, 'FORBIDDEN', 'scopes']);
    expect(headers.get('www-authenticate')).toMatch(
      /^Bearer realm="placar", error="insufficient_scope", scope="/,
    );
  }
  expect(refused[0]?.headers.get('www-authenticate')).toMatch(/scope="admin"$/);
  expect(refused[1]?.body.error.details[0].message).toContain('read:payments');
  const made = await records(token, 'POST', '/admin/clients', { label: 'x', scopes: ['read:leads'] });
  expect(made.status).toBe(201);
  // Revoking needs manage:access only.
  expect((await records(token, 'DELETE', `/admin/clients/${other}`)).status).toBe(204);
  expect((await records(tenant.token, 'GET', '/admin/missions')).status).toBe(401);
});

test('an automation does nothing that its author may not do', async () => {
  const tenant = await createAdminTenant(sql);
  const { token } = await tokenWith(tenant.id, ['manage:automations', 'read:deals']);
  const tag = [{ type: 'add_tag', tag: 'x' }];
  const automation = { name: 'Tag', event: 'deal.won', actions: tag };
  const reply = await records(token, 'POST', '/admin/automations', automation);
  expect([reply.status, reply.body.error.message, reply.body.error.details[0].message]).toEqual([
    403,
    'An automation can only do what your own token may do.',
    'this token lacks the scope write:deals',
  ]);
  expect((await records(tenant.token, 'POST', '/admin/automations', automation)).status).toBe(201);
  const stop = await records(token, 'PATCH', '/admin/automations/tag', { active: false });
  expect(stop.status).toBe(200);
  expect((await records(token, 'PATCH', '/admin/automations/tag', { active: true })).status).toBe(403);
  expect((await records(token, 'DELETE', '/admin/automations/tag')).status).toBe(204);
});

test('only the role manage administers, and no role of requests may call functions of admin', async () => {
  const roles = ['api', 'payments', 'worker', 'anon', 'authenticated', 'placar_login'];
  const calls = await sql`
    select r.rolname as role, p.proname as name from pg_proc p cross join pg_roles r
    where p.pronamespace = 'admin'::regnamespace and r.rolname = any (${[...roles, 'manage', 'service_role']})
      and has_schema_privilege(r.rolname, 'admin', 'usage') and has_function_privilege(r.rolname, p.oid, 'execute')`;
  expect([...calls]).toEqual([]);
  // Functions and writes that the role has, and that are not those of every request.
  const own = await sql`
    with owned as (
      select p.oid::regprocedure::text as name, array(
        select r from unnest(${roles}::text[]) as r where has_function_privilege(r, p.oid, 'execute')) as others
      from pg_proc p where p.pronamespace = 'app'::regnamespace and has_function_privilege('manage', p.oid, 'execute')
      union all
      select c.relname || ' ' || v, array(select r from unnest(${roles}::text[]) as r where has_any_column_privilege(r, c.oid, v))
      from pg_class c, unnest(array['insert', 'update']) as v
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and has_any_column_privilege('manage', c.oid, v)
    )
    select name, others from owned where not 'api' = any (others)`;
  expect(own.length).toBeGreaterThan(30);
  expect(own.filter(({ others }) => others.length > 0).map(({ name }) => name)).toEqual([
    'app.changes_summary()',
  ]);
});

test('the role manage writes only what its tenant has', async () => {
  const rows = await sql`
    select tablename, coalesce(with_check, qual) as rule from pg_policies where 'manage' = any (roles)`;
  expect(rows.length).toBeGreaterThan(8);
  expect(rows.filter(({ rule }) => !rule.includes('app.tenant_id()'))).toEqual([]);
});

test('what another tenant has is not there, by id and by name', async () => {
  const [own, other] = [await createAdminTenant(sql), await createAdminTenant(sql)];
  const post = async (path: string, body: object) =>
    (await records(other.token, 'POST', `/admin${path}`, body)).body.data;
  const march = { starts_at: '2027-03-01', ends_at: '2027-04-01' };
  const foreign: Record<string, { id: string; name: string }> = {
    missions: await post('/missions', { name: 'Theirs', points: 1, codes: ['010'] }),
    tiers: await post('/tiers', { name: 'Theirs', min_points: 1 }),
    badges: await post('/badges', { name: 'Theirs', metric: 'points', threshold: 1 }),
    challenges: await post('/challenges', { name: 'Theirs', metric: 'points', target: 1, ...march }),
    seasons: await post('/seasons', { name: 'Theirs', ...march }),
    stages: await post('/stages', { name: 'Theirs', position: 9, probability: 1 }),
    automations: await post('/automations', {
      name: 'Theirs',
      event: 'deal.won',
      actions: [{ type: 'add_tag', tag: 'x' }],
    }),
    'api-keys': await post('/api-keys', { label: 'Theirs', scopes: ['default:sync'] }),
  };
  const client = await post('/clients', { label: 'Theirs', scopes: ['read:leads'] });
  foreign.clients = { id: client.client_id, name: 'Theirs' };
  const rule = await records(other.token, 'PUT', '/admin/point-rules', { event: 'deal.won', points: 1 });
  foreign['point-rules'] = { id: rule.body.data.id, name: rule.body.data.id };
  for (const [kind, { id }] of Object.entries(foreign)) {
    const methods = kind === 'point-rules' ? ['GET', 'DELETE'] : ['GET', 'PATCH', 'DELETE'];
    for (const ref of [id, 'theirs']) {
      for (const method of methods) {
        const body =
          method === 'PATCH'
            ? { [kind === 'clients' || kind === 'api-keys' ? 'label' : 'name']: 'Mine' }
            : undefined;
        const { status } = await records(own.token, method, `/admin/${kind}/${ref}`, body);
        expect([method, kind, ref, status]).toEqual([method, kind, ref, 404]);
      }
    }
    const { body } = await records(own.token, 'GET', `/admin/${kind}?search=theirs`);
    expect([kind, body.data]).toEqual([kind, []]);
  }
  const mapped = await records(own.token, 'PUT', '/admin/activity-codes/010', {
    mission: foreign.missions?.id,
  });
  expect([mapped.status, mapped.body.error.details[0].field]).toEqual([422, 'mission']);
  const changes = await records(own.token, 'GET', '/admin/changes?act=mission.*');
  expect(changes.body.data).toEqual([]);
  const requests = await records(own.token, 'GET', '/admin/requests?path=/v1/admin/tiers&method=POST');
  expect(requests.body.data).toEqual([]);
});

test('who may not read users cannot name one, and no message lists their addresses', async () => {
  const tenant = await createAdminTenant(sql);
  const email = `${crypto.randomUUID()}@example.com`;
  await sql`insert into users (tenant_id, name, email) values (${tenant.id}, 'Rui', ${email})`;
  const write = ['manage:access', 'manage:automations', 'read:deals', 'write:deals'];
  const blind = await tokenWith(tenant.id, write);
  const sighted = await tokenWith(tenant.id, [...write, 'read:users']);
  const automation = (user: string) => ({
    name: crypto.randomUUID(),
    event: 'deal.won',
    actions: [{ type: 'assign_owner', user }],
  });
  const name = (user: string) => ({ label: crypto.randomUUID(), scopes: ['read:deals'], user });
  const { data: client } = (await records(blind.token, 'POST', '/admin/clients', { ...name(''), user: null }))
    .body;
  const { data: rule } = (await records(tenant.token, 'POST', '/admin/automations', automation(email))).body;
  const calls = (user: string): [string, string, object][] => [
    ['POST', '/admin/clients', name(user)],
    ['PATCH', `/admin/clients/${client.client_id}`, { user }],
    ['POST', '/admin/automations', automation(user)],
    ['PATCH', `/admin/automations/${rule.id}`, { actions: automation(user).actions }],
  ];
  // Known and unknown are answered alike, so the answer says nothing about who is there.
  for (const user of [email, 'nobody@example.com', crypto.randomUUID()]) {
    for (const [method, path, body] of calls(user)) {
      const reply = await records(blind.token, method, path, body);
      expect([method, path, reply.status, reply.headers.get('www-authenticate')]).toEqual([
        method,
        path,
        403,
        expect.stringContaining('scope="read:users"'),
      ]);
      expect(JSON.stringify(reply.body)).not.toContain(email);
    }
  }
  for (const [method, path, body] of calls('nobody@example.com')) {
    const reply = await records(sighted.token, method, path, body);
    expect([reply.status, reply.body.error.details[0].message]).toEqual([
      422,
      expect.stringContaining(email),
    ]);
  }
});

test('names of stages are listed to those who may read them, and after the scopes', async () => {
  const tenant = await createAdminTenant(sql);
  const [stage] = await sql`select name from pipeline_stages where tenant_id = ${tenant.id} limit 1`;
  const rule = { event: 'deal.stage_changed', points: 1, stage: 'nowhere' };
  const move = { name: 'Move', event: 'deal.won', actions: [{ type: 'move_stage', stage: 'nowhere' }] };
  const ask = async (scopes: string[], method: string, path: string, body: object) => {
    const { token } = await tokenWith(tenant.id, scopes);
    const { status, body: answer } = await records(token, method, path, body);
    return [status, answer.error.details[0].message.includes(stage?.name)];
  };
  expect(await ask(['manage:gamification'], 'PUT', '/admin/point-rules', rule)).toEqual([422, false]);
  expect(await ask(['manage:gamification', 'read:deals'], 'PUT', '/admin/point-rules', rule)).toEqual([
    422,
    true,
  ]);
  expect(await ask(['manage:automations'], 'POST', '/admin/automations', move)).toEqual([403, false]);
});

test('who reads the audit trail reads of each change only what the own scopes open elsewhere', async () => {
  const tenant = await createAdminTenant(sql);
  const secret = `zq${crypto.randomUUID().slice(0, 8)}`;
  const post = (path: string, body: object, method = 'POST') =>
    records(tenant.token, method, `/admin${path}`, body, {
      headers: { 'Idempotency-Key': crypto.randomUUID() },
    });
  const { data: key } = (await post('/api-keys', { label: secret, scopes: ['payments:read'] })).body;
  const { data: client } = (await post('/clients', { label: secret, scopes: ['read:leads'] })).body;
  await post('/balance-adjustments', { amount: 918_273, currency: 'BRL', reason: secret });
  await post('/payout-approval-rules', { above_amount: 918_273 }, 'PUT');
  await post('/missions', { name: secret, points: 918_273 });
  await sql`update oauth_clients set label = ${secret} where client_id = ${tenant.client.client_id}`;
  const [{ kinds } = {}] = await sql`
    select array_agg(distinct subject_kind order by subject_kind) as kinds from admin_changes where tenant_id = ${tenant.id}`;
  expect(kinds).toEqual([
    ...['api_key', 'balance', 'client', 'mission', 'payout_approval_rule', 'stage', 'tenant'],
  ]);

  const read = async (scopes: string[], path: string) => {
    const { token } = await tokenWith(tenant.id, scopes);
    const { status, body } = await records(token, 'GET', `/admin${path}`);
    expect(status).toBe(200);
    return JSON.stringify(body.data);
  };
  const all = ['read:audit', 'manage:access', 'read:payments', 'read:settings'];
  for (const path of ['/changes?limit=200', '/requests?limit=200']) {
    expect(await read(all, path)).toContain(secret);
    expect(await read(['read:audit'], path)).not.toMatch(new RegExp(`${secret}|918273`));
  }
  const money = await read(['read:audit', 'read:payments'], '/changes?limit=200');
  expect([money.includes('918273'), money.includes(`"${secret}"`), money.includes(key.id)]).toEqual([
    true,
    true,
    true,
  ]);
  expect(money).not.toContain(`api key \\"${secret}`);
  // A filter does not confirm a name either.
  for (const path of [`/changes?subject=${secret}`, `/changes?actor=${secret}`, `/requests?caller=${secret}`])
    expect([path, await read(['read:audit'], path)]).toEqual([path, '[]']);
  expect(await read(['read:audit'], `/changes?subject=${client.client_id}`)).toContain(
    'Reading this change needs the scope manage:access.',
  );
  // Each kind that the triggers of the trail record is either listed with its scopes or belongs to the deployment.
  const unlisted = await sql`
    select distinct encode(split_part(encode(t.tgargs, 'escape'), '\\000', 1)::bytea, 'escape') as kind from pg_trigger t
    where t.tgfoid = 'private.record_change'::regproc
      and split_part(encode(t.tgargs, 'escape'), '\\000', 1) <> all (${Object.keys(changeReaders)}) order by 1`;
  expect(unlisted.map(({ kind }) => kind)).toEqual([
    'deployment',
    'fiscal_rule',
    'move',
    'plan',
    'retention',
  ]);
});

test('a client does not take a scope from itself, but may revoke itself', async () => {
  const { token, client } = await createAdminTenant(sql);
  const path = `/admin/clients/${client.client_id}`;
  const reply = await records(token, 'PATCH', path, { scopes: ['read:leads'] });
  expect([reply.status, reply.body.error.details[0].field]).toEqual([409, 'scopes']);
  expect((await records(token, 'PATCH', path, { label: 'Mine' })).status).toBe(200);
  expect((await records(token, 'DELETE', path)).status).toBe(204);
});
