/** OAuth 2: the authorization page, which agrees by itself unless it must not, and tokens. A code and a refresh token are used once. */
import { randomBytes } from 'node:crypto';
import type { Hono } from 'hono';
import type { FakeEnvironment, FakeKit } from '../../fakes/fake.ts';
import { VendorError } from '../../fakes/vendor-error.ts';
import type { Account, App } from './state.ts';

const [CODE_MS, ACCESS_S, REFRESH_MS] = [5 * 60_000, 7200, 14 * 24 * 3_600_000];
const newToken = (): string => randomBytes(32).toString('base64url');

const denied = (type: string): VendorError =>
  new VendorError(401, { error_type: type, error_message: 'Wrong credentials provided.' });

/** Adds a pair of tokens to the account. */
export function grant({ kit, account }: App) {
  const now = kit.clock.now();
  const times = { accessUntilMs: now + ACCESS_S * 1000, refreshUntilMs: now + REFRESH_MS };
  const made = { access: newToken(), refresh: newToken(), ...times };
  account.grants.push(made);
  return made;
}

/** Uses up a code or a refresh token. */
function use(account: Account, form: Record<string, string>, now: number): void {
  if (form.grant_type === 'authorization_code') {
    const code = account.codes.find((one) => one.code === form.code && one.untilMs > now);
    account.codes = account.codes.filter((one) => one !== code);
    if (code === undefined || code.redirectUri !== form.redirect_uri) throw denied('EXPIRED_CODE_GRANT');
  } else {
    const known = account.grants.find(({ refresh }) => refresh !== '' && refresh === form.refresh_token);
    if (known === undefined || known.refreshUntilMs <= now) throw denied('INVALID_REFRESH_TOKEN');
    known.refresh = '';
  }
}

export function oauthRoutes(app: Hono<FakeEnvironment>, kit: FakeKit<Account>): void {
  const accountOf = (clientId: unknown): Account => {
    const account = Object.values(kit.state.accounts).find((one) => one.clientId === clientId);
    if (account === undefined) throw denied('ACCESS_DENIED');
    return account;
  };
  app.get('/oauth/authorize', (c) => {
    const { client_id: id, redirect_uri: redirectUri = '', response_type: type, state = '' } = c.req.query();
    if (type !== 'code' || !URL.canParse(redirectUri)) throw denied('ACCESS_DENIED');
    const code = newToken();
    const { codes, options } = accountOf(id);
    codes.push({ code, redirectUri, untilMs: kit.clock.now() + CODE_MS });
    const answer: Record<string, string> = options.agrees ? { code } : { error: 'access_denied' };
    return c.redirect(`${redirectUri}?${new URLSearchParams({ ...answer, state })}`);
  });
  app.post('/oauth2/token', async (c) => {
    const form = Object.fromEntries(new URLSearchParams(await c.req.text()));
    const account = accountOf(form.client_id);
    if (account.clientSecret !== form.client_secret) throw denied('ACCESS_DENIED');
    use(account, form, kit.clock.now());
    const { access, refresh } = grant({ kit, account });
    const tokens = { access_token: access, refresh_token: refresh };
    return c.json({ ...tokens, expires_in: ACCESS_S, token_type: 'Bearer' });
  });
}
