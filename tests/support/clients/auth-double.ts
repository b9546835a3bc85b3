// Supabase Auth and the token endpoint of a deployment, as far as the console uses them, on a port of this machine.
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { SignJWT } from 'jose/jwt/sign';
import { onTestFinished } from 'vitest';

export const PUBLISHABLE_KEY = 'sb_publishable_test';
export const EMAIL_CODE = '246810';
export const TOTP_CODE = '135790';
const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';

export interface Account {
  email: string;
  password: string;
  workspaces: { slug: string; name: string; scopes: string; needsMfa?: boolean }[];
  factors: { id: string; factor_type: 'totp'; status: 'verified' | 'unverified' }[];
}

interface AuthSession {
  id: string;
  email: string;
  aal: 'aal1' | 'aal2';
  refreshTokens: string[];
}

export class AuthDouble {
  url = '';
  readonly accounts = new Map<string, Account>();
  readonly sessions = new Map<string, AuthSession>();
  /** Requests so far, such as `POST /auth/v1/logout?scope=local`. */
  readonly requests: string[] = [];
  /** Emails that were sent: the address and the code of the link. */
  readonly emails: { email: string; code: string }[] = [];
  /** Links of invitations, by token hash. */
  readonly links = new Map<string, string>();
  readonly apiTokens = new Map<string, { session: string; slug: string }>();
  external: Record<string, boolean> = { email: true, google: true, github: false };
  hasSso = true;
  /** Further members of the person. */
  me: Record<string, unknown> = {};
  /** Boards by token. */
  readonly boards = new Map<string, object>();
  /** Changes of the person so far. */
  readonly changes: unknown[] = [];
  grants = ['client_credentials', GRANT];
  /** Turns everything off, as if the project was paused. */
  isDown = false;
  /** Answers every password with it. */
  passwordFault: string | undefined;
  /** Answers the API's requests with the tokens of people. */
  api: (path: string, c: Context) => Promise<Response> | Response = (_, c) => c.json({ data: [] });
  readonly #codes = new Map<string, { email: string; challenge: string }>();

  addAccount(account: Partial<Account> & { email: string }): Account {
    const made = { password: 'right-password', workspaces: [], factors: [], ...account };
    this.accounts.set(made.email, made);
    return made;
  }

  count(beginning: string): number {
    return this.requests.filter((request) => request.startsWith(beginning)).length;
  }

  readonly app = new Hono()
    .use(async (c, next) => {
      this.requests.push(`${c.req.method} ${c.req.path}${new URL(c.req.url).search}`);
      return this.isDown ? c.text('paused', 503) : next();
    })
    .use('/auth/v1/*', async (c, next) => {
      const isLink = c.req.path.endsWith('/authorize');
      if (!isLink && c.req.header('apikey') !== PUBLISHABLE_KEY)
        return c.json({ message: 'No API key' }, 401);
      return next();
    })
    .get('/auth/v1/settings', (c) =>
      c.json({ external: this.external, saml_enabled: this.hasSso, disable_signup: true }),
    )
    .post('/auth/v1/token', (c) => this.#token(c))
    .post('/auth/v1/otp', async (c) => {
      const { email, create_user: create, code_challenge: challenge } = await c.req.json();
      if (create !== false || !this.accounts.has(email))
        return fail(c, 422, 'otp_disabled', 'Signups not allowed for otp');
      this.emails.push({ email, code: this.codeFor(email, challenge) });
      return c.json({});
    })
    .post('/auth/v1/verify', async (c) => {
      const { type, email, token, token_hash: hash } = await c.req.json();
      const owner = hash === undefined ? email : this.links.get(hash);
      const isRight = hash === undefined ? type === 'email' && token === EMAIL_CODE : owner !== undefined;
      if (!isRight || !this.accounts.has(owner)) return fail(c, 403, 'otp_expired', 'Token has expired');
      this.links.delete(hash);
      return this.#begin(c, owner);
    })
    .get('/auth/v1/authorize', (c) => {
      const { provider, redirect_to: to, code_challenge: challenge = '' } = c.req.query();
      const [email = ''] = this.accounts.keys();
      if (!this.external[provider ?? ''] || c.req.query('code_challenge_method') !== 's256')
        return c.redirect(`${to}?error=server_error`);
      return c.redirect(`${to}?code=${this.codeFor(email, challenge)}`);
    })
    .post('/auth/v1/sso', async (c) => {
      const { domain, skip_http_redirect: skip } = await c.req.json();
      if (domain !== 'acme.example' || skip !== true)
        return fail(c, 404, 'sso_provider_not_found', 'No provider');
      return c.json({ url: 'https://idp.acme.example/saml?request=1' });
    })
    .get('/auth/v1/user', async (c) => {
      const session = await this.#sessionOf(c);
      return session ? c.json(this.#user(session.email)) : fail(c, 403, 'session_not_found', 'Not found');
    })
    .put('/auth/v1/user', async (c) => {
      const [session, { password }] = [await this.#sessionOf(c), await c.req.json()];
      const account = session && this.accounts.get(session.email);
      if (!account) return fail(c, 403, 'session_not_found', 'Not found');
      if (password.length < 8)
        return fail(c, 422, 'weak_password', 'Password should be at least 8 characters.');
      account.password = password;
      return c.json(this.#user(account.email));
    })
    .post('/auth/v1/logout', async (c) => {
      const session = await this.#sessionOf(c);
      if (!session) return fail(c, 403, 'session_not_found', 'Not found');
      for (const { id, email } of this.sessions.values())
        if (id === session.id || (c.req.query('scope') === 'global' && email === session.email))
          this.sessions.delete(id);
      return c.body(null, 204);
    })
    .post('/auth/v1/factors', async (c) => {
      const session = await this.#sessionOf(c);
      const account = session && this.accounts.get(session.email);
      if (!account) return fail(c, 403, 'session_not_found', 'Not found');
      const id = crypto.randomUUID();
      account.factors.push({ id, factor_type: 'totp', status: 'unverified' });
      return c.json({
        id,
        type: 'totp',
        totp: { secret: 'JBSWY3DP', uri: 'otpauth://totp/Placar:a?secret=JBSWY3DP' },
      });
    })
    .post('/auth/v1/factors/:id/challenge', (c) => c.json({ id: `challenge-${c.req.param('id')}` }))
    .post('/auth/v1/factors/:id/verify', async (c) => {
      const [session, { challenge_id: challenge, code }] = [await this.#sessionOf(c), await c.req.json()];
      const { id } = c.req.param();
      const factor = session && this.accounts.get(session.email)?.factors.find((one) => one.id === id);
      if (!factor || challenge !== `challenge-${id}` || code !== TOTP_CODE)
        return fail(c, 422, 'mfa_verification_failed', 'Invalid TOTP code entered');
      factor.status = 'verified';
      session.aal = 'aal2';
      return c.json(await this.#answer(session));
    })
    .get('/functions/v1/oauth/.well-known/oauth-authorization-server', (c) =>
      c.json({ grant_types_supported: this.grants }),
    )
    .post('/functions/v1/oauth/token', (c) => this.#exchange(c))
    .get('/functions/v1/v1/me', (c) => {
      const token = this.#apiToken(c);
      if (!token) return c.json({ error: { code: 'unauthorized', message: 'Unauthorized' } }, 401);
      const tenant = { slug: token.slug, name: token.slug, time_zone: 'America/Sao_Paulo' };
      return c.json({ data: { id: 'u1', tenant, ...this.me } });
    })
    .get('/functions/v1/v1/board', (c) => {
      const board = this.boards.get(c.req.header('authorization')?.replace('Bearer ', '') ?? '');
      return board
        ? c.json({ data: board })
        : c.json({ error: { code: 'unauthorized', message: 'No' } }, 401);
    })
    .patch('/functions/v1/v1/me', async (c) => {
      const body = await c.req.json();
      this.changes.push(body);
      return c.json({ data: { id: 'u1', ...this.me, ...body } });
    })
    .all('/functions/v1/*', (c) => {
      if (!this.#apiToken(c))
        return c.json({ error: { code: 'unauthorized', message: 'Unauthorized' } }, 401);
      return this.api(c.req.path.replace('/functions/v1', ''), c);
    });

  /** A code as in the link of an email. */
  codeFor(email: string, challenge: string): string {
    const code = crypto.randomUUID();
    this.#codes.set(code, { email, challenge });
    return code;
  }

  #apiToken(c: Context) {
    const token = this.apiTokens.get(c.req.header('authorization')?.replace('Bearer ', '') ?? '');
    return token && this.sessions.has(token.session) ? token : undefined;
  }

  async #token(c: Context): Promise<Response> {
    const body = await c.req.json();
    if (c.req.query('grant_type') === 'password') {
      const account = this.accounts.get(body.email);
      if (this.passwordFault) return fail(c, 400, this.passwordFault, 'No');
      if (!account || account.password !== body.password)
        return fail(c, 400, 'invalid_credentials', 'Invalid login credentials');
      return this.#begin(c, account.email);
    }
    if (c.req.query('grant_type') === 'pkce') {
      const known = this.#codes.get(body.auth_code);
      this.#codes.delete(body.auth_code);
      const challenge = createHash('sha256').update(body.code_verifier).digest('base64url');
      if (!known || known.challenge !== challenge)
        return fail(c, 400, 'bad_code_verifier', 'code challenge does not match');
      return this.#begin(c, known.email);
    }
    const session = [...this.sessions.values()].find(({ refreshTokens }) =>
      refreshTokens.slice(-2).includes(body.refresh_token),
    );
    if (!session) return fail(c, 400, 'refresh_token_not_found', 'Invalid Refresh Token');
    return c.json(await this.#answer(session));
  }

  async #begin(c: Context, email: string): Promise<Response> {
    const session: AuthSession = { id: crypto.randomUUID(), email, aal: 'aal1', refreshTokens: [] };
    this.sessions.set(session.id, session);
    return c.json(await this.#answer(session));
  }

  async #answer(session: AuthSession) {
    const refreshToken = randomBytes(9).toString('base64url');
    session.refreshTokens.push(refreshToken);
    const token = new SignJWT({ session_id: session.id, aal: session.aal, jti: crypto.randomUUID() })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1h');
    return {
      access_token: await token.sign(randomBytes(32)),
      refresh_token: refreshToken,
      expires_in: 3600,
      user: this.#user(session.email),
    };
  }

  #user(email: string) {
    return { email, factors: this.accounts.get(email)?.factors ?? [] };
  }

  #sessionFrom(token: string): AuthSession | undefined {
    const payload = token.split('.')[1] ?? '';
    const { session_id: id } = JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}');
    return this.sessions.get(id);
  }

  async #sessionOf(c: Context): Promise<AuthSession | undefined> {
    return this.#sessionFrom(c.req.header('authorization')?.replace('Bearer ', '') ?? '');
  }

  async #exchange(c: Context): Promise<Response> {
    const { grant_type: grant, subject_token: subject, tenant } = await c.req.parseBody();
    const refuse = (reason: string, more = {}) =>
      c.json({ error: 'invalid_request', error_description: 'Refused.', reason, ...more }, 400);
    if (grant !== GRANT) return c.json({ error: 'unsupported_grant_type' }, 400);
    const session = this.#sessionFrom(String(subject));
    if (!session) return refuse('subject_token_invalid');
    const { workspaces = [] } = this.accounts.get(session.email) ?? {};
    const [only] = workspaces;
    if (!only) return refuse('not_a_member');
    const list = {
      error: 'invalid_target',
      workspaces: workspaces.map(({ slug, name }) => ({ slug, name })),
    };
    if (tenant === undefined && workspaces.length > 1) return refuse('workspace_needed', list);
    const chosen = tenant === undefined ? only : workspaces.find(({ slug }) => slug === tenant);
    if (!chosen) return refuse('workspace_unknown', list);
    if (chosen.needsMfa && session.aal !== 'aal2') return refuse('mfa_required');
    const token = randomBytes(24).toString('base64url');
    this.apiTokens.set(token, { session: session.id, slug: chosen.slug });
    return c.json({
      access_token: token,
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: 900,
      scope: chosen.scopes,
      tenant: { id: chosen.slug, slug: chosen.slug, name: chosen.name },
    });
  }
}

const fail = (c: Context, status: 400 | 403 | 404 | 422, code: string, msg: string) =>
  c.json({ code: status, error_code: code, msg }, status);

/** Starts to listen. It ends with the test. */
export async function startAuthDouble(): Promise<AuthDouble> {
  const double = new AuthDouble();
  const server = createServer(getRequestListener(double.app.fetch));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  double.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  return double;
}
