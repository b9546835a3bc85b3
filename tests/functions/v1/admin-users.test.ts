// What users may do after signing in: presets, roles that hand out nothing their writer lacks, and the admin API.
import { describe, expect, test } from 'vitest';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { createOAuthClient, grant, requestToken } from '../../support/oauth.ts';
import { createPerson, exchange } from '../../support/persons.ts';
import { records } from '../../support/records/records.ts';

const sql = connectDatabase();

const SELLER = ['self', 'read:standings'];

async function tokenWith(tenantId: string, scopes: string[]): Promise<string> {
  const client = await createOAuthClient(sql, tenantId, { scopes });
  return (await requestToken(grant(client))).body.access_token;
}

const accessOf = async (userId: string): Promise<string[]> => {
  const [row] =
    await sql`select private.scopes_of_user(tenant_id, id) as scopes from users where id = ${userId}`;
  return row?.scopes;
};
const acts = (tenantId: string) =>
  sql`select before, after, summary from admin_changes where tenant_id = ${tenantId} and act = 'user_access.changed' order by id`;
const email = () => `${crypto.randomUUID()}@people.example`;

describe('a role hands out nothing that its writer lacks', () => {
  const inviteAs = async (token: string, role: string) => {
    const { status, body } = await records(token, 'POST', '/users', { name: 'Ana', email: email(), role });
    expect(status).toBe(201);
    return String(body.data.id);
  };

  test('a client with write:users alone makes sellers of all roles', async () => {
    const { id } = await createTenant(sql);
    const token = await tokenWith(id, ['write:users']);
    for (const role of ['admin', 'manager', 'sales_rep'])
      expect(await accessOf(await inviteAs(token, role))).toEqual(SELLER);
    expect(await acts(id)).toEqual([]);
  });

  test('a client with admin makes managers who see no payments; one with all makes whole ones', async () => {
    const { id } = await createTenant(sql);
    const manager = await accessOf(await inviteAs(await tokenWith(id, ['admin']), 'manager'));
    expect(manager).toEqual(expect.arrayContaining(['read:leads', 'write:deals', 'read:settings']));
    expect(manager.filter((scope) => /payments|payouts/.test(scope))).toEqual([]);
    const all = [
      'admin',
      'read:payments',
      'manage:payments',
      'approve:payouts',
      'request:payouts',
      'manage:access',
      'manage:persons',
    ];
    const admin = await accessOf(await inviteAs(await tokenWith(id, all), 'admin'));
    expect(new Set(admin)).toEqual(new Set([...SELLER, ...all]));
    const token = await tokenWith(id, ['admin', 'read:payments']);
    expect(await accessOf(await inviteAs(token, 'admin'))).toEqual([...SELLER, 'admin', 'read:payments']);
    const [first] = await acts(id);
    expect(first?.before).toEqual({ access: 'seller' });
  });

  test('the token counts, not only its client', async () => {
    const { id } = await createTenant(sql);
    const client = await createOAuthClient(sql, id, { scopes: ['admin'] });
    const { body } = await requestToken(grant(client, { scope: 'write:users read:users' }));
    expect(await accessOf(await inviteAs(body.access_token, 'admin'))).toEqual(SELLER);
  });

  test('a lower role takes away at once, a higher one keeps what the user had, the same one changes nothing', async () => {
    const { id } = await createTenant(sql);
    const token = await tokenWith(id, ['write:users']);
    const person = await createPerson(sql, id, { role: 'manager' });
    const patch = async (role: string) =>
      expect((await records(token, 'PATCH', `/users/${person.userId}`, { role })).status).toBe(200);
    const before = await accessOf(person.userId);
    await patch('manager');
    expect(await accessOf(person.userId)).toEqual(before);
    expect((await records(person.token, 'GET', '/standings')).status).toBe(200);
    await patch('sales_rep');
    expect(await accessOf(person.userId)).toEqual(SELLER);
    expect((await records(person.token, 'GET', '/standings')).status).toBe(401);
    await patch('manager');
    expect(await accessOf(person.userId)).toEqual(SELLER);
    await sql`select admin.set_user_access(slug, ${person.email}, 'admin') from tenants where id = ${id}`;
    await patch('sales_rep');
    await sql`select admin.set_user_access(slug, ${person.email}, '{read:leads,read:payments}') from tenants where id = ${id}`;
    await patch('manager');
    expect(await accessOf(person.userId)).toEqual([...SELLER, 'read:leads', 'read:payments']);
  });

  test('users from before signing in are sellers, whatever their role, also when it is written again', async () => {
    const { id } = await createTenant(sql);
    const person = await createPerson(sql, id, { role: 'admin' });
    // An upgrade adds no rows for them.
    await sql`delete from private.user_access where tenant_id = ${id}`;
    expect((await exchange(person.authToken)).body.scope).toBe(SELLER.join(' '));
    const token = await tokenWith(id, ['admin', 'read:payments', 'manage:access']);
    const again = await records(token, 'PATCH', `/users/${person.userId}`, { role: 'admin' });
    expect(again.status).toBe(200);
    await sql`update users set role = 'admin', name = 'Olga' where id = ${person.userId}`;
    expect(await accessOf(person.userId)).toEqual(SELLER);
    expect(await acts(id)).toHaveLength(1);
  });

  test('SQL hands out everything', async () => {
    const { id } = await createTenant(sql);
    const [row] =
      await sql`insert into users (tenant_id, name, email, role) values (${id}, 'Olga', ${email()}, 'admin') returning id`;
    expect(await accessOf(row?.id)).toEqual(
      expect.arrayContaining(['admin', 'manage:access', 'manage:payments']),
    );
  });
});

test('admin.set_user_access takes a preset or scopes, and names what it knows', async () => {
  const { id } = await createTenant(sql);
  const [tenant] = await sql`select slug from tenants where id = ${id}`;
  const address = email();
  const [user] =
    await sql`insert into users (tenant_id, name, email) values (${id}, 'Ana Souza', ${address}) returning id`;
  const set = async (access: string) => {
    const [row] =
      await sql`select admin.set_user_access(${tenant?.slug}, ${address.toUpperCase()}, ${access}::text) as said`;
    return row?.said;
  };
  expect(await set('finance')).toBe('Ana Souza has the access "finance".');
  expect(await set('{read:leads}')).toBe('Ana Souza has the access self, read:standings, read:leads.');
  expect(await set('{}')).toBe('Ana Souza has the access "seller".');
  expect(await set('{finance,read:leads}')).toContain('manage:payments');
  expect(await accessOf(user?.id)).toContain('read:leads');
  await expect(set('boss')).rejects.toMatchObject({
    message: expect.stringMatching(/access.*"boss" is unknown/),
  });
  await expect(set('{read:leads,boss}')).rejects.toMatchObject({
    message: expect.stringContaining('"boss"'),
  });
  expect((await acts(id)).map(({ summary }) => summary)[0]).toBe(
    'Changed access of user "Ana Souza" from seller to finance.',
  );
});

describe('/admin/users', () => {
  test('lists users with their access, by preset and by search', async () => {
    const { id } = await createTenant(sql);
    const token = await tokenWith(id, ['manage:access']);
    const ana = await createPerson(sql, id, { access: 'finance', name: 'Ana Lima' });
    await sql`insert into users (tenant_id, name, email) values (${id}, 'Bia', ${email()})`;
    const list = async (query: string) => {
      const { status, body } = await records(token, 'GET', `/admin/users${query}`);
      expect(status).toBe(200);
      return body.data;
    };
    expect(
      (await list('')).map(({ name, linked }: { name: string; linked: boolean }) => [name, linked]).sort(),
    ).toEqual([
      ['Ana Lima', true],
      ['Bia', false],
    ]);
    const [found] = await list('?access=finance');
    expect(found).toEqual({
      user_id: ana.userId,
      name: 'Ana Lima',
      email: ana.email,
      role: 'sales_rep',
      status: 'active',
      access: 'finance',
      scopes: [...SELLER, 'read:payments', 'manage:payments', 'approve:payouts', 'request:payouts'],
      linked: true,
      last_active_at: expect.any(String),
    });
    expect(await list('?search=lima')).toHaveLength(1);
    expect(await list('?access=admin')).toEqual([]);
    expect((await records(await tokenWith(id, ['admin']), 'GET', '/admin/users')).status).toBe(403);
  });

  test('gives access with If-Match, ends the tokens, and is in the trail; a person gives as a client does', async () => {
    const { id } = await createTenant(sql);
    const admin = await createPerson(sql, id, { access: 'admin', name: 'Olga' });
    const ana = await createPerson(sql, id);
    const path = `/admin/users/${ana.userId}/access`;
    const shown = await records(admin.token, 'GET', path);
    const etag = shown.headers.get('etag') ?? '';
    const put = (token: string, body: object, headers: Record<string, string> = {}) =>
      records(token, 'PUT', path, body, { headers });
    const given = await put(admin.token, { preset: 'manager' }, { 'If-Match': etag });
    expect([given.status, given.body.data.access]).toEqual([200, 'manager']);
    expect((await put(admin.token, { preset: 'seller' }, { 'If-Match': etag })).status).toBe(412);
    expect((await records(ana.token, 'GET', '/standings')).status).toBe(401);
    const { body } = await exchange(ana.authToken);
    expect(body.scope).toContain('write:deals');
    const [change] = await sql`
      select actor_kind, actor_name, via, subject_kind from admin_changes where tenant_id = ${id} and act = 'user_access.changed'
      order by id desc limit 1`;
    expect(change).toEqual({ actor_kind: 'person', actor_name: 'Olga', via: 'api', subject_kind: 'user' });
    for (const wrong of [
      {},
      { preset: 'seller', scopes: ['self'] },
      { preset: 'boss' },
      { scopes: ['default:sync'] },
    ])
      expect((await put(admin.token, wrong)).status).toBe(400);
    expect(
      (await records(admin.token, 'PUT', `/admin/users/${crypto.randomUUID()}/access`, { preset: 'seller' }))
        .status,
    ).toBe(404);
  });

  test('callers give and take only scopes of their own token', async () => {
    const { id } = await createTenant(sql);
    const token = await tokenWith(id, ['manage:access', 'read:leads']);
    const ana = await createPerson(sql, id);
    const boss = await createPerson(sql, id, { access: 'admin' });
    const put = (userId: string, body: object) =>
      records(token, 'PUT', `/admin/users/${userId}/access`, body);
    const before = (await acts(id)).length;
    const refused = await put(ana.userId, { scopes: ['read:leads', 'read:payments', 'manage:payments'] });
    expect([refused.status, refused.body.error.details.map(({ field }: { field: string }) => field)]).toEqual(
      [403, ['scopes', 'scopes']],
    );
    expect((await put(ana.userId, { preset: 'finance' })).status).toBe(403);
    expect((await put(boss.userId, { preset: 'seller' })).status).toBe(403);
    expect((await acts(id)).length).toBe(before);
    expect(await accessOf(ana.userId)).toEqual(SELLER);
    expect((await put(ana.userId, { scopes: ['read:leads'] })).status).toBe(200);
    expect((await put(ana.userId, { preset: 'seller' })).status).toBe(200);
  });

  test('the API and SQL leave equal rows', async () => {
    const { id } = await createTenant(sql);
    const token = await tokenWith(id, [
      'manage:access',
      'read:payments',
      'manage:payments',
      'approve:payouts',
      'request:payouts',
    ]);
    const [one, two] = [await createPerson(sql, id), await createPerson(sql, id)];
    await records(token, 'PUT', `/admin/users/${one.userId}/access`, { preset: 'finance' });
    await sql`select admin.set_user_access(slug, ${two.email}, 'finance') from tenants where id = ${id}`;
    const rowsOf = () => sql`select scopes, version from private.user_access where tenant_id = ${id}`;
    const rows = await rowsOf();
    expect(rows).toHaveLength(2);
    expect(rows[0]).toEqual(rows[1]);
    // In a list, `admin` is the scope, not the preset.
    const scopes = ['admin', 'read:payments'];
    const both = await tokenWith(id, [...scopes, 'manage:access', ...(rows[0]?.scopes.slice(2) ?? [])]);
    await records(both, 'PUT', `/admin/users/${one.userId}/access`, { scopes });
    await sql`select admin.set_user_access(slug, ${two.email}, ${`{${scopes}}`}) from tenants where id = ${id}`;
    expect([...(await rowsOf())]).toEqual(Array(2).fill({ scopes: [...SELLER, ...scopes], version: 2 }));
    await sql`select admin.set_user_access(slug, ${two.email}, 'admin') from tenants where id = ${id}`;
    expect(await accessOf(two.userId)).toContain('manage:payments');
  });
});

test('settings of signing in need manage:access besides', async () => {
  const { id } = await createTenant(sql);
  const person = await createPerson(sql, id);
  const [workspace, both] = [await tokenWith(id, ['admin']), await tokenWith(id, ['admin', 'manage:access'])];
  const patch = async (token: string, body: object) =>
    (await records(token, 'PATCH', '/admin/settings', body)).status;
  expect(await patch(workspace, { name: 'Acme' })).toBe(200);
  expect([await patch(workspace, { sign_in: false }), await patch(workspace, { require_mfa: true })]).toEqual(
    [403, 403],
  );
  expect((await records(person.token, 'GET', '/standings')).status).toBe(200);
  expect(await patch(both, { sign_in: false })).toBe(200);
  expect((await records(person.token, 'GET', '/standings')).status).toBe(401);
  const { body } = await records(both, 'GET', '/admin/settings');
  expect(body.data).toMatchObject({ sign_in: false, require_mfa: false });
});

test('self is unknown for clients; read:standings they may have', async () => {
  const { id } = await createTenant(sql);
  const token = await tokenWith(id, ['manage:access', 'read:standings']);
  const made = await records(token, 'POST', '/admin/clients', { label: 'x', scopes: ['self'] });
  expect(made.status).toBe(400);
  await expect(createOAuthClient(sql, id, { scopes: ['self'] })).rejects.toMatchObject({
    message: expect.stringContaining('self'),
  });
  const client = await createOAuthClient(sql, id, { scopes: ['read:standings'] });
  const { body } = await requestToken(grant(client));
  expect((await records(body.access_token, 'GET', '/standings')).status).toBe(200);
  expect((await requestToken(grant(client, { scope: 'self' }))).body.error).toBe('invalid_scope');
});
