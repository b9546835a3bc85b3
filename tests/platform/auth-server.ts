// The emulator of Auth as in the local stack, for the tests of signing in.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { AuthError, Session, SupabaseClient, User } from '@supabase/supabase-js';
import { Hono } from 'hono';
import type postgres from 'postgres';
import { afterAll, beforeAll } from 'vitest';
import { createAuth } from '../../local/emulators/auth/index.ts';
import { isLoopback } from '../../local/emulators/auth/redirects.ts';
import { createSigningKey } from '../../scripts/signing-key.ts';
import { createSupabaseClient, serveApp, startPlatformDatabase } from './platform-database.ts';

export const PUBLISHABLE_KEY = 'sb_publishable_of_the_test';
export const SECRET_KEY = 'sb_secret_of_the_test';
export const JWT_SECRET = 'a secret that signs tokens, 32 bytes at least';
export const PASSWORD = 'correct horse battery';

export interface AuthServer {
  sql: postgres.Sql;
  /** Of the gateway. */
  url: string;
  signingKey: string;
  mails: { to: string[]; subject: string; text: string }[];
}

/** Starts Auth before the tests of a file and stops it after them. The returned object is filled before the first test. */
export function useAuthServer(): AuthServer {
  const server = { mails: [], signingKey: createSigningKeyWithId() } as unknown as AuthServer;
  const ends: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    const database = await startPlatformDatabase();
    ends.push(() => database.stop());
    const gateway = new Hono();
    const http = await serveApp(gateway);
    ends.push(() => http.close());
    Object.assign(server, { sql: database.sql, url: http.url });
    const auth = createAuth({
      sql: database.sql,
      publicUrl: http.url,
      secretKeys: [SECRET_KEY],
      publishableKeys: [PUBLISHABLE_KEY],
      jwtSecret: JWT_SECRET,
      signingKey: server.signingKey,
      isRedirectAllowed: isLoopback,
      onMail: (mail) => void server.mails.push(mail),
    });
    gateway.route('/auth/v1', auth);
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  return server;
}

export const createSigningKeyWithId = () =>
  JSON.stringify({ ...JSON.parse(createSigningKey()), kid: randomUUID() });

export const clientOf = ({ url }: AuthServer, key = PUBLISHABLE_KEY): SupabaseClient =>
  createSupabaseClient(url, key);

type Response = { data: unknown; error: AuthError | null };

/** Data of a response, which must not be an error. */
export function dataOf<Given extends Response>(given: Given): Extract<Given, { error: null }>['data'] {
  if (given.error) throw given.error;
  return given.data;
}

/** Creates a person with a confirmed address and {@link PASSWORD}. */
export async function createPerson(server: AuthServer): Promise<User & { email: string }> {
  const email = `${randomUUID()}@example.com`;
  const parameters = { email, password: PASSWORD, email_confirm: true };
  const { user } = dataOf(await clientOf(server, SECRET_KEY).auth.admin.createUser(parameters));
  return { ...user, email };
}

/** A client in which the person is signed in, and the session. */
export async function signIn(server: AuthServer, email: string, password = PASSWORD) {
  const client = clientOf(server);
  const { session } = dataOf(await client.auth.signInWithPassword({ email, password }));
  return { client, session };
}

/** Sends JSON with the publishable key. */
export async function post(
  server: AuthServer,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }> {
  const response = await fetch(`${server.url}/auth/v1${path}`, {
    method: 'POST',
    headers: { apikey: PUBLISHABLE_KEY, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : {}, headers: response.headers };
}

export const refresh = (server: AuthServer, token: string) =>
  post(server, '/token?grant_type=refresh_token', { refresh_token: token });

/** The claims of an access token, without verifying it. */
export const claimsOf = ({ access_token: token }: Pick<Session, 'access_token'>) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;

/** The last email to an address. */
export function mailTo(server: AuthServer, email: string) {
  const mail = server.mails.findLast((one) => one.to.includes(email));
  const text = mail?.text ?? '';
  const links = Array.from(text.matchAll(/https?:\S+/g), ([link]) => new URL(link));
  return {
    ...mail,
    link: links[0] ?? new URL('about:blank'),
    links,
    code: /\b\d{6}\b(?!\S)/.exec(text)?.[0] ?? '',
  };
}

/** Opens a link. Returns where it leads, with the parameters of the fragment. */
export async function follow(link: URL) {
  const response = await fetch(link, { redirect: 'manual' });
  const target = new URL(response.headers.get('location') ?? 'about:blank');
  return {
    status: response.status,
    target,
    query: Object.fromEntries(target.searchParams),
    fragment: Object.fromEntries(new URLSearchParams(target.hash.slice(1))),
  };
}

/** A PKCE verifier with its challenge. */
export function createChallenge() {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return { verifier, members: { code_challenge: challenge, code_challenge_method: 's256' } };
}
