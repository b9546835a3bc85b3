// The two ways to authorize: each request signed with the key, or an access token.
import { PlacarError } from '../errors.ts';
import { credential, type KeyOptions, type OAuthOptions } from './options.ts';
import { sign } from './sign.ts';
import { type Authorizer, type Outgoing, Transport } from './transport.ts';
import { unlessAborted } from './wait.ts';

/** Signs each attempt anew: a signature is good for 300 seconds. */
export function signing(options: KeyOptions): Authorizer {
  const apiKey = credential('apiKey', options.apiKey);
  const authorization = ({ method, target, body = '' }: Outgoing) =>
    sign(apiKey, { method, target, body, timestamp: Math.floor(Date.now() / 1000) });
  return hidden({ secrets: [apiKey], authorization });
}

interface Token {
  header: string;
  renewAt: number;
}

/** Renewed so long before its end; of a short life, a tenth of it. */
const MARGIN_MS = 60_000;

/** Gets an access token when one is needed: one request, however many calls wait for it. */
export function accessTokens(options: OAuthOptions): Authorizer {
  const clientId = credential('clientId', options.clientId);
  const clientSecret = credential('clientSecret', options.clientSecret);
  const transport = new Transport(options, undefined, [clientSecret]);
  const body = JSON.stringify({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  });
  const secrets = [clientSecret];
  let token: Token | undefined;
  let fetching: Promise<Token> | undefined;

  async function fetchToken(): Promise<Token> {
    const askedAt = Date.now();
    const answer = await transport.json({ method: 'POST', target: '/oauth/token', body, repeatable: true });
    // Checked below: what the document says of the answer is not taken on trust.
    const { access_token: value, expires_in: seconds } = (answer ?? {}) as Record<string, unknown>;
    if (typeof value !== 'string' || typeof seconds !== 'number') {
      throw new PlacarError('The token endpoint gave no token.', { code: 'invalid_answer' });
    }
    secrets.splice(1, 1, value);
    const lifeMs = seconds * 1000;
    token = { header: `Bearer ${value}`, renewAt: askedAt + lifeMs - Math.min(MARGIN_MS, lifeMs / 10) };
    return token;
  }

  async function authorization(_: Outgoing, signal?: AbortSignal): Promise<string> {
    if (token && Date.now() < token.renewAt) return token.header;
    // Not with the caller's signal: others wait for the same token.
    fetching ??= fetchToken().finally(() => {
      fetching = undefined;
    });
    return (await unlessAborted(fetching, signal)).header;
  }

  /** Another call may have got a new one meanwhile: only the refused one is dropped. */
  function renew(refused: string): boolean {
    if (token?.header === refused) token = undefined;
    return true;
  }

  return hidden({ secrets, authorization, renew });
}

/** Its members are for the transport, and not for what prints or serializes an object. */
function hidden(authorizer: Authorizer): Authorizer {
  for (const name of Object.keys(authorizer)) Object.defineProperty(authorizer, name, { enumerable: false });
  return authorizer;
}
