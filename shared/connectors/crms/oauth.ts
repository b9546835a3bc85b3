// OAuth 2 of CRMs: an authorization code that a person agrees to in a browser, then refresh tokens, each of which is used once (RFC 6749).
import { z } from 'zod';
import type { Authorization, ConnectOptions, Tokens } from './crm.ts';
import type { CrmHttp, CrmRequest } from './crm-http.ts';
import { CrmCredentialsRejected, CrmUnreachable } from './errors.ts';

interface Pages {
  title: string;
  authorizeUrl: string;
  tokenUrl: string;
  /** Name of the setting with the address for tokens. */
  tokenSetting: string;
}

type OAuthOptions = Pick<ConnectOptions, 'credentials' | 'addresses' | 'http'>;

const tokensSchema = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1),
  expires_in: z.coerce.number().positive().default(7200),
});

export function createAuthorization({ title, authorizeUrl, tokenUrl, tokenSetting }: Pages): Authorization {
  async function requestTokens(
    grant: Readonly<Record<string, string>>,
    { credentials, addresses, http }: OAuthOptions,
  ): Promise<Tokens> {
    const { client_id = '', client_secret = '' } = credentials;
    const body = new URLSearchParams({ client_id, client_secret, ...grant });
    const rejection = () =>
      new CrmCredentialsRejected(`${title} rejects the authorization: authorize again.`);
    const url = addresses[tokenSetting] ?? tokenUrl;
    const answer = await http({ method: 'POST', url, body }).catch((error: unknown) => {
      throw error instanceof CrmCredentialsRejected ? rejection() : error;
    });
    if (answer.status === 400) throw rejection();
    const result = tokensSchema.safeParse(answer.body);
    if (answer.status >= 300 || !result.success)
      throw new CrmUnreachable(`${title} token: unexpected response (status ${answer.status})`);
    const { access_token, refresh_token, expires_in } = result.data;
    return { accessToken: access_token, refreshToken: refresh_token, expiresInSeconds: expires_in };
  }

  return {
    pageUrl({ clientId, redirectUri, state, addresses }) {
      const tokens = addresses[tokenSetting] ?? tokenUrl;
      // Stand-ins have both pages at one origin.
      const url = new URL(tokens === tokenUrl ? authorizeUrl : `${new URL(tokens).origin}/oauth/authorize`);
      url.searchParams.set('response_type', 'code');
      url.searchParams.set('client_id', clientId);
      url.searchParams.set('redirect_uri', redirectUri);
      url.searchParams.set('state', state);
      return url.href;
    },
    exchange: ({ code, redirectUri }, options) =>
      requestTokens({ grant_type: 'authorization_code', code, redirect_uri: redirectUri }, options),
    refresh: (refreshToken, options) =>
      requestTokens({ grant_type: 'refresh_token', refresh_token: refreshToken }, options),
  };
}

/** Sends requests with the account's access token. One that is rejected before its time is replaced, and the request sent again. */
export function createTokenHttp(authorization: Authorization, options: ConnectOptions): CrmHttp {
  const { tokenHttp = options.http } = options;
  const accessToken = (rejected?: string) =>
    options.tokens.accessToken(
      (refreshToken) => authorization.refresh(refreshToken, { ...options, http: tokenHttp }),
      rejected,
    );
  const sendWith = (token: string, request: CrmRequest) =>
    options.http({ ...request, headers: { Authorization: `Bearer ${token}` } });
  return async (request) => {
    const token = await accessToken();
    return await sendWith(token, request).catch(async (error: unknown) => {
      const isExpired = error instanceof CrmCredentialsRejected && error.response?.status === 401;
      if (!isExpired) throw error;
      return await sendWith(await accessToken(token), request);
    });
  };
}
