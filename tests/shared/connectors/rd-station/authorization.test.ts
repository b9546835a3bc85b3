// Authorization of an account in a browser, and tokens that expire, are used up or are revoked.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RdStation, startRdStation } from '../../../../local/crms/rd-station/index.ts';
import { rdStationCrm } from '../../../../shared/connectors/crms/rd-station/adapter.ts';
import { rdStation } from '../../../../shared/connectors/crms/rd-station/index.ts';
import { addressesOf, connectAccount, tokenStore } from './account.ts';

let rd: RdStation;
beforeAll(async () => {
  rd = await startRdStation();
});
afterAll(() => rd.stop());

const { authorization } = rdStationCrm;
const redirectUri = 'https://placar.example/callbacks/crm/rd_station/crm_1/authorized';

test('the page is that of RD, or at the origin of a stand-in', () => {
  const request = { clientId: 'the app', redirectUri, state: 'a&b' };
  const page = new URL(authorization?.pageUrl({ ...request, addresses: rdStation.addresses }) ?? '');
  expect(page.origin + page.pathname).toBe('https://accounts.rdstation.com/oauth/authorize');
  expect(Object.fromEntries(page.searchParams)).toEqual({
    ...{ response_type: 'code', client_id: 'the app', redirect_uri: redirectUri, state: 'a&b' },
  });
  const other = authorization?.pageUrl({ ...request, addresses: addressesOf('http://127.0.0.1:1') });
  expect(other).toMatch(/^http:\/\/127\.0\.0\.1:1\/oauth\/authorize\?response_type=code&/);
});

test('a person agrees, and the code is exchanged for tokens that work', async () => {
  const { clientId, options } = await connectAccount(rd);
  const { addresses } = options;
  const page = authorization?.pageUrl({ clientId, redirectUri, state: 'state', addresses }) ?? '';
  const back = new URL((await fetch(page, { redirect: 'manual' })).headers.get('location') ?? '');
  expect(back.searchParams.get('state')).toBe('state');
  const code = back.searchParams.get('code') ?? '';
  const tokens = await authorization?.exchange({ code, redirectUri }, options);
  expect(tokens?.expiresInSeconds).toBe(7200);
  const connection = rdStationCrm.connect({
    ...options,
    tokens: { accessToken: async () => tokens?.accessToken ?? '' },
  });
  expect((await connection.inspect()).users).toHaveLength(1);
  await expect(authorization?.exchange({ code, redirectUri }, options)).rejects.toMatchObject({
    name: 'CrmCredentialsRejected',
  });
});

describe('tokens', () => {
  test('are refreshed once and then used', async () => {
    const { id, connection, tokens, refreshToken } = await connectAccount(rd);
    await Promise.all([connection.inspect(), connection.inspect()]);
    expect(tokens.refreshes).toBe(1);
    expect(tokens.refreshToken).not.toBe(refreshToken);
    const [request] = await rd.control.requests({ path: '/oauth2/token' });
    expect(request?.headers['content-type']).toContain('application/x-www-form-urlencoded');
    expect((await rd.control.requests({ account: id })).length).toBeGreaterThan(0);
  });

  const again = { name: 'CrmCredentialsRejected', message: expect.stringContaining('authorize again') };

  test('that were used before, are unknown or of another app must be authorized again', async () => {
    const { connection, options, refreshToken, clientSecret } = await connectAccount(rd);
    await connection.inspect();
    for (const [used, credentials] of [
      [refreshToken, options.credentials],
      ['unknown', options.credentials],
      [refreshToken, { ...options.credentials, client_secret: 'wrong' }],
    ] as const) {
      const other = rdStationCrm.connect({ ...options, credentials, tokens: tokenStore(used) });
      const error = await other.inspect().catch((thrown) => thrown);
      expect(error).toMatchObject(again);
      expect(error.message).not.toContain(clientSecret);
      expect(error.message).not.toContain(used);
    }
  });

  test('that RD rejects with status 400 must be authorized again', async () => {
    const { connection } = await connectAccount(rd);
    const body = { error: 'invalid_grant', error_description: 'The refresh token is expired.' };
    await rd.control.fault({ kind: 'error_before', path: '/oauth2/token', status: 400, body });
    await expect(connection.inspect()).rejects.toMatchObject(again);
  });

  test.each([
    ['a failure', { kind: 'error_before', status: 500 } as const],
    ['no response', { kind: 'cut_before' } as const],
    ['another format', { kind: 'error_before', status: 200, body: { token: 'x' } } as const],
    ['another status', { kind: 'error_before', status: 404, body: {} } as const],
  ])('may have been refreshed after %s', async (_, fault) => {
    const { connection } = await connectAccount(rd);
    await rd.control.fault({ ...fault, path: '/oauth2/token' });
    await expect(connection.inspect()).rejects.toMatchObject({ name: 'CrmUnreachable' });
  });

  test('that were revoked early are rejected credentials', async () => {
    const { id, connection } = await connectAccount(rd);
    await connection.inspect();
    await rd.control.revoke(id);
    await expect(connection.inspect()).rejects.toMatchObject({ name: 'CrmCredentialsRejected' });
  });
});
