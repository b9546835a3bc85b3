// The people of the demo tenant sign in at the local stack.
import { createRemoteJWKSet, jwtVerify } from 'jose';
import postgres from 'postgres';
import { afterAll, expect, inject, test } from 'vitest';
import { createSupabaseClient } from '../platform/platform-database.ts';

const {
  auth_url: authUrl,
  publishable_key: key,
  database_url: databaseUrl,
  tenant_id: tenant,
  people,
} = inject('stack');
const sql = postgres(databaseUrl, { max: 1 });
afterAll(() => sql.end({ timeout: 1 }));

const addresses = people.map(({ email }) => email);

test('five people, from seller to admin', () => {
  expect(people.map(({ role, access }) => `${role} ${access}`)).toEqual([
    'sales_rep seller',
    'manager manager',
    'viewer finance',
    'admin admin',
    'viewer seller',
  ]);
});

test.each(addresses)('%s signs in with the password of stack.json', async (email) => {
  const password = people.find((person) => person.email === email)?.password ?? '';
  const { data, error } = await createSupabaseClient(authUrl, key).auth.signInWithPassword({
    email,
    password,
  });
  expect(error).toBeNull();
  const keySet = createRemoteJWKSet(new URL(`${authUrl}/auth/v1/.well-known/jwks.json`));
  const issuer = inject('env').AUTH_ISSUER ?? '';
  expect(issuer).toBe(`${authUrl}/auth/v1`);
  const { payload } = await jwtVerify(data.session?.access_token ?? '', keySet, { issuer });
  const [row] = await sql`
    select u.email, u.status, u.role, private.access_name(private.scopes_of_user(u.tenant_id, u.id)) as access from private.user_accounts a
      join public.users u on u.tenant_id = a.tenant_id and u.id = a.user_id
     where a.tenant_id = ${tenant} and a.auth_user_id = ${payload.sub ?? null}`;
  const { role, access } = people.find((person) => person.email === email) ?? {};
  expect(row).toEqual({ email, status: 'active', role, access });
});
