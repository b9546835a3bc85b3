// The HTTP API of Supabase Auth, as far as people sign in with it.
import { decodeJwt } from 'jose/jwt/decode';
import { asJson, asText, type Json } from '../api/json.ts';

export interface AuthOptions {
  /** URL of the project. */
  projectUrl: string;
  publishableKey: string;
  /** `placar-console/<version>`. */
  program: string;
}

/** Auth rejected a request. `message` is its English sentence. */
export class AuthRejected extends Error {
  readonly status: number;
  /** Such as `invalid_credentials`. Empty if Auth named none. */
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Auth did not respond, or with a failure of its own. */
export class AuthUnreachable extends Error {}

/** A session of Auth. */
export interface AuthSession {
  accessToken: string;
  refreshToken: string;
  /** How long the access token is valid. */
  lifeMs: number;
  email: string;
  /** Whether the account has a second factor that this session has not used. */
  needsFactor: boolean;
}

export interface Factor {
  id: string;
  isVerified: boolean;
}

/** Of `GET /settings`. */
export interface AuthSettings {
  /** Names of the external providers that are on, such as `google`. */
  providers: readonly string[];
  hasSso: boolean;
}

/** What Auth binds a link or redirect to. */
export interface Binding {
  redirectTo: string;
  /** PKCE challenge, S256. */
  challenge: string;
}

const TIMEOUT_MS = 15_000;
const SETTINGS_KEPT_MS = 10 * 60_000;
/** In `external`, but neither is a link to a provider. */
const NOT_PROVIDERS = ['email', 'phone', 'anonymous_users', 'web3', 'web3_solana', 'web3_ethereum'];

const pkce = ({ challenge }: Binding) => ({ code_challenge: challenge, code_challenge_method: 's256' });

export class AuthApi {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  #settings: { at: number; value: Promise<AuthSettings> } | undefined;

  constructor({ projectUrl, publishableKey, program }: AuthOptions) {
    this.#url = `${projectUrl}/auth/v1`;
    this.#headers = { apikey: publishableKey, 'User-Agent': program, Accept: 'application/json' };
  }

  /** Read again after ten minutes. */
  settings(): Promise<AuthSettings> {
    const known = this.#settings;
    if (known && Date.now() - known.at < SETTINGS_KEPT_MS) return known.value;
    const entry = { at: Date.now(), value: this.#readSettings() };
    entry.value.catch(() => {
      if (this.#settings === entry) this.#settings = undefined;
    });
    this.#settings = entry;
    return entry.value;
  }

  async withPassword(email: string, password: string): Promise<AuthSession> {
    return sessionOf(await this.#send('POST', '/token?grant_type=password', { body: { email, password } }));
  }

  async withRefreshToken(refreshToken: string): Promise<AuthSession> {
    const body = { refresh_token: refreshToken };
    return sessionOf(await this.#send('POST', '/token?grant_type=refresh_token', { body }));
  }

  /** Exchanges the code of a link or of a provider. */
  async withAuthCode(code: string, verifier: string): Promise<AuthSession> {
    const body = { auth_code: code, code_verifier: verifier };
    return sessionOf(await this.#send('POST', '/token?grant_type=pkce', { body }));
  }

  /** Sends an email with a link and a code. Makes no account. */
  async sendEmail(email: string, binding: Binding): Promise<void> {
    await this.#send('POST', `/otp?${new URLSearchParams({ redirect_to: binding.redirectTo })}`, {
      body: { email, create_user: false, ...pkce(binding) },
    });
  }

  async withEmailCode(email: string, code: string): Promise<AuthSession> {
    return sessionOf(await this.#send('POST', '/verify', { body: { type: 'email', email, token: code } }));
  }

  /** Uses up the link of an invitation or recovery. */
  async withTokenHash(type: string, tokenHash: string): Promise<AuthSession> {
    return sessionOf(await this.#send('POST', '/verify', { body: { type, token_hash: tokenHash } }));
  }

  /** The address at Auth that leads to a provider. */
  providerUrl(provider: string, binding: Binding): string {
    return `${this.#url}/authorize?${new URLSearchParams({
      provider,
      redirect_to: binding.redirectTo,
      ...pkce(binding),
    })}`;
  }

  /** The address of the identity provider of a domain. */
  async ssoUrl(domain: string, binding: Binding): Promise<string> {
    const { url } = await this.#send('POST', '/sso', {
      body: { domain, redirect_to: binding.redirectTo, skip_http_redirect: true, ...pkce(binding) },
    });
    return asText(url);
  }

  async factors(accessToken: string): Promise<Factor[]> {
    return factorsOf(await this.#send('GET', '/user', { accessToken }));
  }

  /** Starts to set up an authenticator app. */
  async enroll(accessToken: string, name: string): Promise<{ id: string; uri: string; secret: string }> {
    const factor = await this.#send('POST', '/factors', {
      accessToken,
      body: { factor_type: 'totp', friendly_name: name, issuer: 'Placar' },
    });
    const { uri, secret } = asJson(factor.totp);
    return { id: asText(factor.id), uri: asText(uri), secret: asText(secret) };
  }

  async withFactor(accessToken: string, factorId: string, code: string): Promise<AuthSession> {
    const path = `/factors/${encodeURIComponent(factorId)}`;
    const challenge = await this.#send('POST', `${path}/challenge`, { accessToken, body: {} });
    const body = { challenge_id: challenge.id, code };
    return sessionOf(await this.#send('POST', `${path}/verify`, { accessToken, body }));
  }

  async setPassword(accessToken: string, password: string): Promise<void> {
    await this.#send('PUT', '/user', { accessToken, body: { password } });
  }

  /** `global` ends all sessions of the account. */
  async signOut(accessToken: string, scope: 'local' | 'global'): Promise<void> {
    await this.#send('POST', `/logout?scope=${scope}`, { accessToken });
  }

  async #readSettings(): Promise<AuthSettings> {
    const settings = await this.#send('GET', '/settings', {});
    const external = asJson(settings.external);
    return {
      providers: Object.keys(external).filter(
        (name) => external[name] === true && /^[a-z_]+$/.test(name) && !NOT_PROVIDERS.includes(name),
      ),
      hasSso: settings.saml_enabled === true,
    };
  }

  async #send(
    method: string,
    path: string,
    { body, accessToken }: { body?: object; accessToken?: string },
  ): Promise<Json> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.#url + path, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: {
          ...this.#headers,
          ...(accessToken !== undefined && { Authorization: `Bearer ${accessToken}` }),
          ...(body && { 'Content-Type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      text = await response.text();
    } catch (error) {
      throw new AuthUnreachable('Supabase Auth does not answer.', { cause: error });
    }
    if (response.status >= 500) throw new AuthUnreachable(`Supabase Auth answers ${response.status}.`);
    const answer = jsonOf(text);
    if (response.ok) return answer;
    const { error_code: errorCode, code, msg, message } = answer;
    throw new AuthRejected(
      response.status,
      asText(errorCode) || (typeof code === 'string' ? code : ''),
      asText(msg ?? message),
    );
  }
}

function jsonOf(text: string): Json {
  try {
    return asJson(JSON.parse(text || '{}'));
  } catch {
    return {};
  }
}

const factorsOf = ({ factors }: Json): Factor[] =>
  (Array.isArray(factors) ? factors : [])
    .map(asJson)
    .filter((factor) => factor.factor_type === 'totp')
    .map((factor) => ({ id: asText(factor.id), isVerified: factor.status === 'verified' }));

function sessionOf(answer: Json): AuthSession {
  const [accessToken, refreshToken] = [asText(answer.access_token), asText(answer.refresh_token)];
  const seconds = Number(answer.expires_in);
  if (!accessToken || !refreshToken || !Number.isFinite(seconds))
    throw new AuthUnreachable('Supabase Auth returned no session.');
  const user = asJson(answer.user);
  const { aal } = decodeJwt(accessToken);
  return {
    accessToken,
    refreshToken,
    lifeMs: seconds * 1000,
    email: asText(user.email),
    needsFactor: aal !== 'aal2' && factorsOf(user).some(({ isVerified }) => isVerified),
  };
}
