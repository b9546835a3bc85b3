/** OAuth 2: the authorization page, which agrees by itself, and tokens. A refresh token is used once. */
import { randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import type { FakeEnvironment, FakeKit } from '../../fakes/fake.ts';
import { VendorError } from '../../fakes/vendor-error.ts';
import type { Account, Grant } from './state.ts';

const CODE_MS = 5 * 60_000;
const ACCESS_S = 7200;
const REFRESH_MS = 14 * 24 * 3_600_000;
const newToken = (): string => randomBytes(32).toString('base64url');

const denied = (type: string, message: string): VendorError =>
  new VendorError(401, { error_type: type, error_message: message });

/** Adds a pair of tokens to the account. */
export function grant({ kit, account }: { kit: FakeKit<Account>; account: Account }): Grant {
  const now = kit.clock.now();
  const times = { accessUntilMs: now + ACCESS_S * 1000, refreshUntilMs: now + REFRESH_MS };
  const made: Grant = { access: newToken(), refresh: newToken(), ...times };
  account.grants.push(made);
  return made;
}

export function oauthRoutes(kit: FakeKit<Account>): Hono<FakeEnvironment> {
  const app = new Hono<FakeEnvironment>();
  const accountOf = (clientId: unknown) =>
    Object.values(kit.state.accounts).find((account) => account.clientId === clientId);
  app.get('/oauth/authorize', (c) => {
    const { client_id: id, redirect_uri: redirectUri = '', response_type: type, state } = c.req.query();
    const account = accountOf(id);
    if (account === undefined || type !== 'code' || !URL.canParse(redirectUri))
      throw denied('ACCESS_DENIED', 'O parâmetro redirect_uri não contém um valor válido.');
    const back = new URL(redirectUri);
    const code = newToken();
    if (account.options.agrees) account.codes.push({ code, redirectUri, untilMs: kit.clock.now() + CODE_MS });
    back.searchParams.set(
      ...((account.options.agrees ? ['code', code] : ['error', 'access_denied']) as [string, string]),
    );
    if (state !== undefined) back.searchParams.set('state', state);
    return c.redirect(back.href);
  });
  app.post('/oauth2/token', async (c) => {
    if (!c.req.header('content-type')?.startsWith('application/x-www-form-urlencoded'))
      throw new VendorError(400, {
        error_type: 'INVALID_REQUEST',
        error_message: 'The body must be a form.',
      });
    const form = Object.fromEntries(new URLSearchParams(await c.req.text()));
    const account = accountOf(form.client_id);
    if (account === undefined || account.clientSecret !== form.client_secret)
      throw denied('ACCESS_DENIED', 'Wrong credentials provided.');
    const now = kit.clock.now();
    if (form.grant_type === 'authorization_code') {
      const code = account.codes.find((one) => one.code === form.code);
      account.codes = account.codes.filter((one) => one !== code);
      if (code === undefined || code.untilMs <= now || code.redirectUri !== form.redirect_uri)
        throw denied('EXPIRED_CODE_GRANT', 'The authorization code grant has expired.');
    } else if (form.grant_type === 'refresh_token') {
      const known = account.grants.find(({ refresh }) => refresh !== '' && refresh === form.refresh_token);
      if (known === undefined || known.refreshUntilMs <= now)
        throw denied('INVALID_REFRESH_TOKEN', 'The provided refresh token is invalid or was revoked.');
      known.refresh = '';
    } else
      throw new VendorError(400, {
        error_type: 'INVALID_REQUEST',
        error_message: 'grant_type is not valid.',
      });
    const { access, refresh } = grant({ kit, account });
    return c.json({
      access_token: access,
      expires_in: ACCESS_S,
      refresh_token: refresh,
      token_type: 'Bearer',
    });
  });
  return app;
}
