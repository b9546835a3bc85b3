// The two ways to authorize requests: a signature by the API key, or an access token.
import { PlacarError } from '../errors.ts';
import { credential, type KeyOptions, type OAuthOptions } from './options.ts';
import { sign } from './sign.ts';
import { type Authorizer, type OutgoingRequest, Transport } from './transport.ts';
import { unlessAborted } from './wait.ts';

/** Signs each attempt separately: a signature is valid for 300 seconds. */
export function signing(options: KeyOptions): Authorizer {
  const apiKey = credential('apiKey', options.apiKey);
  const authorization = ({ method, target, body = '' }: OutgoingRequest) =>
    sign(apiKey, { method, target, body, timestamp: Math.floor(Date.now() / 1000) });
  return hidden({ secrets: [apiKey], authorization });
}

interface Token {
  header: string;
  renewAt: number;
}

/** Tokens are renewed this long before they expire, or at 90 % of a short lifetime. */
const MARGIN_MS = 60_000;

/** Parameters of a token request in addition to the credentials. */
export interface TokenRequest {
  /** The URL that the token is for, if not that of the functions. */
  resource?: string;
  /** Scopes, separated by spaces. */
  scope?: string | undefined;
}

/** Requests an access token when one is needed. Concurrent calls share one request. */
export function accessTokens(options: OAuthOptions, request: TokenRequest = {}): Authorizer {
  const clientId = credential('clientId', options.clientId);
  const clientSecret = credential('clientSecret', options.clientSecret);
  const transport = new Transport(options, undefined, [clientSecret]);
  const body = JSON.stringify({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    ...request,
  });
  const secrets = [clientSecret];
  let token: Token | undefined;
  let fetching: Promise<Token> | undefined;

  async function fetchToken(): Promise<Token> {
    const askedAt = Date.now();
    const answer = await transport.json({ method: 'POST', target: '/oauth/token', body, repeatable: true });
    // Validated below rather than trusted.
    const { access_token: value, expires_in: seconds } = (answer ?? {}) as Record<string, unknown>;
    if (typeof value !== 'string' || typeof seconds !== 'number') {
      throw new PlacarError('The token endpoint returned no token.', { code: 'invalid_answer' });
    }
    secrets.splice(1, 1, value);
    const lifeMs = seconds * 1000;
    token = { header: `Bearer ${value}`, renewAt: askedAt + lifeMs - Math.min(MARGIN_MS, lifeMs / 10) };
    return token;
  }

  async function authorization(_: OutgoingRequest, signal?: AbortSignal): Promise<string> {
    if (token && Date.now() < token.renewAt) return token.header;
    // The caller's signal must not abort it, because other calls may wait for the same token.
    fetching ??= fetchToken().finally(() => {
      fetching = undefined;
    });
    return (await unlessAborted(fetching, signal)).header;
  }

  /** Drops only the rejected token: another call may have renewed it meanwhile. */
  function renew(refused: string): boolean {
    if (token?.header === refused) token = undefined;
    return true;
  }

  return hidden({ secrets, authorization, renew });
}

/** Makes the members non-enumerable, so that printing or serializing a client does not reveal them. */
function hidden(authorizer: Authorizer): Authorizer {
  for (const name of Object.keys(authorizer)) Object.defineProperty(authorizer, name, { enumerable: false });
  return authorizer;
}
