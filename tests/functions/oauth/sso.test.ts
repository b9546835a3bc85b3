// Accounts of single sign-on: linked by address only where the operator trusts their provider, and by id from then on.
import { expect, test } from 'vitest';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { createAccount, createPerson, exchange, signInToAuth } from '../../support/persons.ts';

const sql = connectDatabase();

/** An account of this provider, with a session. */
async function createSsoAccount(provider: string) {
  const account = await createAccount();
  // Auth's emulator signs nobody in at a provider, so the account has a password until it has a session.
  const token = await signInToAuth(account.email);
  await sql`update auth.users set is_sso_user = true, email_confirmed_at = null where id = ${account.id}`;
  await sql`delete from auth.identities where user_id = ${account.id}`;
  await sql`
    insert into auth.identities (provider_id, user_id, provider, identity_data)
    values (${account.id}, ${account.id}, ${`sso:${provider}`}, '{}')`;
  return { ...account, token };
}

const insertUser = async (tenantId: string, email: string, role = 'sales_rep'): Promise<string> => {
  const [user] = await sql`
    insert into users (tenant_id, name, email, role) values (${tenantId}, 'Ana', ${email}, ${role}) returning id`;
  return user?.id;
};
const trust = (tenantId: string, provider: string) =>
  sql`select admin.trust_sso(slug, ${provider}::uuid) from tenants where id = ${tenantId}`;
const linksOf = async (accountId: string) =>
  (await sql`select user_id from private.user_accounts where auth_user_id = ${accountId}`).map(
    ({ user_id }) => user_id,
  );

test('is nobody until its provider is trusted, and then takes the place of the link that was', async () => {
  const tenant = await createTenant(sql);
  const [ours, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const account = await createSsoAccount(ours);
  const person = await createPerson(sql, tenant.id);
  await sql`update auth.users set email = ${`old-${person.email}`} where id = ${person.id}`;
  await sql`update auth.users set email = ${person.email} where id = ${account.id}`;
  expect((await exchange(account.token)).body.reason).toBe('not_a_member');
  await trust(tenant.id, other);
  expect((await exchange(account.token)).body.reason).toBe('not_a_member');
  await trust(tenant.id, ours);
  expect((await exchange(account.token)).status).toBe(200);
  expect(await linksOf(account.id)).toEqual([person.userId]);
  expect((await exchange(person.authToken)).body.reason).toBe('not_a_member');
});

test('whose address becomes that of a colleague stays who it was', async () => {
  const tenant = await createTenant(sql);
  const provider = crypto.randomUUID();
  await trust(tenant.id, provider);
  const account = await createSsoAccount(provider);
  const userId = await insertUser(tenant.id, account.email);
  expect((await exchange(account.token)).status).toBe(200);
  const colleague = `admin-${account.email}`;
  await insertUser(tenant.id, colleague, 'admin');
  await sql`update auth.users set email = ${colleague} where id = ${account.id}`;
  expect((await exchange(account.token)).status).toBe(200);
  expect(await linksOf(account.id)).toEqual([userId]);
});
