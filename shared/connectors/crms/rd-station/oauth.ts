// Authorization of an account in a browser, and its tokens. Refresh tokens can be used once.
import { z } from 'zod';
import type { Authorization, ConnectOptions, Tokens } from '../crm.ts';
import { CrmCredentialsRejected, CrmUnreachable } from '../errors.ts';
import { AUTHORIZE_URL, TOKEN_URL } from './facts.ts';

type OAuthOptions = Pick<ConnectOptions, 'credentials' | 'addresses' | 'http'>;

export const authorization: Authorization = {
  pageUrl({ clientId, redirectUri, state, addresses }) {
    const url = new URL(authorizeUrl(addresses.RD_STATION_TOKEN_URL));
    url.searchParams.set('response_type', 'code');
    url.searchParams.set('client_id', clientId);
    url.searchParams.set('redirect_uri', redirectUri);
    url.searchParams.set('state', state);
    return url.href;
  },
  exchange: ({ code, redirectUri }, options, signal) =>
    requestTokens({ grant_type: 'authorization_code', code, redirect_uri: redirectUri }, options, signal),
};

/** Uses up the refresh token. Throws `CrmCredentialsRejected` if RD rejects it. */
export const refreshTokens = (
  refreshToken: string,
  options: OAuthOptions,
  signal: AbortSignal,
): Promise<Tokens> =>
  requestTokens({ grant_type: 'refresh_token', refresh_token: refreshToken }, options, signal);

/** Stand-ins have both pages at one origin. */
function authorizeUrl(tokenUrl: string | undefined): string {
  return tokenUrl === undefined || tokenUrl === TOKEN_URL
    ? AUTHORIZE_URL
    : `${new URL(tokenUrl).origin}/oauth/authorize`;
}

const tokensSchema = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1),
  /** 7200 according to RD. */
  expires_in: z.coerce.number().positive().default(7200),
});

async function requestTokens(
  grant: Readonly<Record<string, string>>,
  { credentials, addresses, http }: OAuthOptions,
  signal: AbortSignal,
): Promise<Tokens> {
  const { client_id = '', client_secret = '' } = credentials;
  const answer = await http(
    {
      method: 'POST',
      url: addresses.RD_STATION_TOKEN_URL ?? '',
      body: new URLSearchParams({ client_id, client_secret, ...grant }),
    },
    signal,
  ).catch((error: unknown) => {
    throw error instanceof CrmCredentialsRejected ? rejection() : error;
  });
  if (answer.status === 400) throw rejection();
  const result = tokensSchema.safeParse(answer.body);
  if (answer.status >= 300 || !result.success)
    throw new CrmUnreachable(`RD Station CRM token: unexpected response (status ${answer.status})`);
  const { access_token, refresh_token, expires_in } = result.data;
  return { accessToken: access_token, refreshToken: refresh_token, expiresInSeconds: expires_in };
}

const rejection = () =>
  new CrmCredentialsRejected('RD Station CRM rejects the authorization: authorize again.');
