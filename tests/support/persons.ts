// Persons: users with an account of Auth, who sign in and exchange the token of their session.
import type postgres from 'postgres';
import { inject } from 'vitest';
import type { Reply } from './gamification/sync.ts';
import { requestToken, type TokenCall } from './oauth.ts';

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
export const PASSWORD = 'correct horse battery staple';

export interface Account {
  id: string;
  email: string;
}

export interface Person extends Account {
  userId: string;
  tenantId: string;
  /** Of the session of Auth. */
  authToken: string;
  /** Of Placar, for the API. */
  token: string;
}

interface PersonOptions {
  role?: string;
  /** A preset, or a list such as `{self,read:leads}`. Default: what the role gives. */
  access?: string;
  name?: string;
  account?: Account;
}

const keyOf = (name: 'SUPABASE_SECRET_KEYS' | 'SUPABASE_PUBLISHABLE_KEYS'): string =>
  JSON.parse(inject('env')[name] ?? '{}').default;

/** Sends a request to Auth. */
export async function auth(
  method: string,
  path: string,
  body?: unknown,
  { token, isAdmin = false }: { token?: string; isAdmin?: boolean } = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const key = keyOf(isAdmin ? 'SUPABASE_SECRET_KEYS' : 'SUPABASE_PUBLISHABLE_KEYS');
  const response = await fetch(`${inject('stack').base_url}/auth/v1${path}`, {
    method,
    headers: { apikey: key, authorization: `Bearer ${token ?? key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : {} };
}

export async function createAccount(email = `p-${crypto.randomUUID()}@people.example`): Promise<Account> {
  const { status, body } = await auth(
    'POST',
    '/admin/users',
    { email, password: PASSWORD, email_confirm: true },
    { isAdmin: true },
  );
  if (status !== 200) throw new Error(`Auth made no account: ${JSON.stringify(body)}`);
  return { id: String(body.id), email };
}

/** Returns the access token of a new session. */
export async function signInToAuth(email: string): Promise<string> {
  const { status, body } = await auth('POST', '/token?grant_type=password', { email, password: PASSWORD });
  if (status !== 200) throw new Error(`No session: ${JSON.stringify(body)}`);
  return String(body.access_token);
}

/** Sends a token exchange. */
export const exchange = (
  authToken: string,
  more: Record<string, unknown> = {},
  options: TokenCall = {},
): Promise<Reply> =>
  requestToken(
    { grant_type: TOKEN_EXCHANGE, subject_token: authToken, subject_token_type: ACCESS_TOKEN, ...more },
    options,
  );

/** An active user of the tenant who is linked to an account, has signed in, and has a token for everything that its access allows. */
export async function createPerson(
  sql: postgres.Sql,
  tenantId: string,
  { role = 'sales_rep', access, name = 'Ana Souza', account }: PersonOptions = {},
): Promise<Person> {
  const { id, email } = account ?? (await createAccount());
  const [user] = await sql`
    insert into public.users (tenant_id, name, email, role) values (${tenantId}, ${name}, ${email}, ${role}) returning id`;
  if (access !== undefined)
    await sql`select admin.set_user_access(slug, ${email}, ${access}::text) from public.tenants where id = ${tenantId}`;
  const authToken = await signInToAuth(email);
  const { status, body } = await exchange(authToken, { tenant: tenantId });
  if (status !== 200) throw new Error(`No token: ${JSON.stringify(body)}`);
  return { id, email, userId: user?.id, tenantId, authToken, token: body.access_token };
}

/** Activates a user whose invitation has made an account, and signs in. Returns a token for everything that its access allows. */
export async function signInAsUser(sql: postgres.Sql, tenantId: string, userId: string): Promise<string> {
  const [user] = await sql`
    update public.users set status = 'active' where tenant_id = ${tenantId} and id = ${userId} returning email`;
  const [account] = await sql`select id from auth.users where email = ${user?.email}`;
  await auth(
    'PUT',
    `/admin/users/${account?.id}`,
    { password: PASSWORD, email_confirm: true },
    { isAdmin: true },
  );
  const { status, body } = await exchange(await signInToAuth(user?.email), { tenant: tenantId });
  if (status !== 200) throw new Error(`No token: ${JSON.stringify(body)}`);
  return body.access_token;
}
