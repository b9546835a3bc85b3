// The emulator of Auth: second factors.
import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { URI } from 'otpauth';
import { expect, test } from 'vitest';
import { claimsOf, createPerson, dataOf, post, refresh, signIn, useAuthServer } from './auth-server.ts';

const server = useAuthServer();

async function enroll(client: SupabaseClient, friendlyName?: string) {
  const { id, totp } = dataOf(
    await client.auth.mfa.enroll({ factorType: 'totp', ...(friendlyName && { friendlyName }) }),
  );
  return { factorId: id, ...totp, code: () => URI.parse(totp.uri).generate() };
}

/** A person with a verified factor, and the session with aal2. */
async function createWithFactor() {
  const person = await createPerson(server);
  const { client, session } = await signIn(server, person.email);
  const factor = await enroll(client);
  const raised = dataOf(
    await client.auth.mfa.challengeAndVerify({ factorId: factor.factorId, code: factor.code() }),
  );
  return { person, client, before: session, factor, raised };
}

test('a factor raises the session to aal2, also after a refresh', async () => {
  const { client, before, factor, raised } = await createWithFactor();
  expect(factor.uri).toMatch(/^otpauth:\/\/totp\//);
  expect(factor.qr_code).toContain('<svg');
  expect(claimsOf(raised)).toMatchObject({
    session_id: claimsOf(before).session_id,
    aal: 'aal2',
    amr: expect.arrayContaining([
      expect.objectContaining({ method: 'totp' }),
      expect.objectContaining({ method: 'password' }),
    ]),
  });
  const refreshed = await refresh(server, raised.refresh_token);
  expect(claimsOf(refreshed.body as { access_token: string })).toMatchObject({ aal: 'aal2' });
  const { currentLevel, nextLevel } = dataOf(await client.auth.mfa.getAuthenticatorAssuranceLevel());
  expect([currentLevel, nextLevel]).toEqual(['aal2', 'aal2']);
  const [row] =
    await server.sql`select aal, factor_id from auth.sessions where id = ${`${claimsOf(before).session_id}`}`;
  expect(row).toEqual({ aal: 'aal2', factor_id: factor.factorId });
});

test('a later sign-in is aal1 until the code is given', async () => {
  const { person, factor } = await createWithFactor();
  const { client, session } = await signIn(server, person.email);
  expect(claimsOf(session)).toMatchObject({ aal: 'aal1' });
  const { currentLevel, nextLevel } = dataOf(await client.auth.mfa.getAuthenticatorAssuranceLevel());
  expect([currentLevel, nextLevel]).toEqual(['aal1', 'aal2']);
  expect((await client.auth.updateUser({ password: 'another horse' })).error).toMatchObject({
    status: 401,
    code: 'insufficient_aal',
  });
  const second = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'second' });
  expect(second.error).toMatchObject({ status: 403, code: 'insufficient_aal' });
  const removed = await client.auth.mfa.unenroll({ factorId: factor.factorId });
  expect(removed.error).toMatchObject({ status: 422, code: 'insufficient_aal' });
});

test('the first verification ends the other sessions of the person', async () => {
  const person = await createPerson(server);
  const other = await signIn(server, person.email);
  const { client } = await signIn(server, person.email);
  const { factorId, code } = await enroll(client);
  dataOf(await client.auth.mfa.challengeAndVerify({ factorId, code: code() }));
  expect((await other.client.auth.getUser()).error).not.toBeNull();
  expect((await client.auth.getUser()).data.user?.factors).toMatchObject([
    { id: factorId, status: 'verified', factor_type: 'totp' },
  ]);
});

test('a wrong code, a used challenge, an expired one and one from another address', async () => {
  const person = await createPerson(server);
  const { client, session } = await signIn(server, person.email);
  const { factorId, code } = await enroll(client);
  const challenge = async () => dataOf(await client.auth.mfa.challenge({ factorId })).id;
  const verify = (challengeId: string, given: string, headers: Record<string, string> = {}) =>
    post(
      server,
      `/factors/${factorId}/verify`,
      { challenge_id: challengeId, code: given },
      { authorization: `Bearer ${session.access_token}`, ...headers },
    );
  const wrong = code() === '000000' ? '000001' : '000000';
  expect((await verify(await challenge(), wrong)).body).toMatchObject({
    code: 422,
    error_code: 'mfa_verification_failed',
  });
  expect((await verify(randomUUID(), code())).body).toMatchObject({ error_code: 'mfa_factor_not_found' });
  expect((await verify(await challenge(), code(), { 'x-forwarded-for': '10.0.0.1' })).body).toMatchObject({
    error_code: 'mfa_ip_address_mismatch',
  });
  const expired = await challenge();
  await server.sql`update auth.mfa_challenges set created_at = now() - interval '301 s' where id = ${expired}`;
  expect((await verify(expired, code())).body).toMatchObject({ error_code: 'mfa_challenge_expired' });

  const used = await challenge();
  expect((await verify(used, code())).status).toBe(200);
  expect((await verify(used, code())).body).toMatchObject({ error_code: 'mfa_ip_address_mismatch' });
});

test('removing a factor lowers the session', async () => {
  const { client, factor, raised } = await createWithFactor();
  dataOf(await client.auth.mfa.unenroll({ factorId: factor.factorId }));
  const { body } = await refresh(server, raised.refresh_token);
  expect(claimsOf(body as { access_token: string })).toMatchObject({
    aal: 'aal1',
    amr: [{ method: 'password' }],
  });
  expect(await client.auth.mfa.challenge({ factorId: factor.factorId })).toMatchObject({
    error: { status: 404, code: 'mfa_factor_not_found' },
  });
});

test("another person's factor is not found", async () => {
  const { factor } = await createWithFactor();
  const stranger = await signIn(server, (await createPerson(server)).email);
  const { error } = await stranger.client.auth.mfa.challenge({ factorId: factor.factorId });
  expect(error).toMatchObject({ status: 404, code: 'mfa_factor_not_found' });
});

test('names are unique, and an unverified factor makes room after five minutes', async () => {
  const person = await createPerson(server);
  const { client, session } = await signIn(server, person.email);
  await enroll(client);
  expect((await client.auth.mfa.enroll({ factorType: 'totp' })).error).toMatchObject({
    code: 'mfa_factor_name_conflict',
  });
  await server.sql`
    update auth.mfa_factors set created_at = now() - interval '301 s' where user_id = ${person.id}`;
  await enroll(client);
  await enroll(client, 'phone');
  const headers = { authorization: `Bearer ${session.access_token}` };
  expect((await post(server, '/factors', { factor_type: 'phone' }, headers)).body).toMatchObject({
    code: 422,
    error_code: 'mfa_phone_enroll_not_enabled',
  });
  expect((await post(server, '/factors', { factor_type: 'other' }, headers)).status).toBe(400);
  expect((await post(server, '/factors', { factor_type: 'totp' })).status).toBe(401);
});
