// POST /token: exchanges a client's credentials for an access token (RFC 6749, section 4.4).
// `exchange.ts` has the grant of persons.
// POST /revoke: revokes an access token before it expires (RFC 7009).
import {
  isTokenOfPerson,
  TOKEN_LIFETIME_SECONDS,
  type TokenVerifier,
} from '../../shared/platform/access/access-tokens.ts';
import {
  type ClientAuthenticator,
  invalidClient,
  revokeAccessToken,
} from '../../shared/platform/access/oauth-clients.ts';
import { revokePersonToken } from '../../shared/platform/access/persons.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { BODY_DEADLINES, readBody } from '../../shared/platform/request/body.ts';
import type { RequestContext } from '../../shared/platform/request/request-context.ts';
import { readCredentials } from './credentials.ts';
import { type ExchangeDependencies, exchangeToken } from './exchange.ts';
import { readAudience, scopesFor } from './grants.ts';
import { TOKEN_EXCHANGE } from './metadata.ts';
import { invalidRequest, readParameters, revocationParameters } from './parameters.ts';

/** Token requests are a few hundred bytes. The limit keeps unauthenticated callers from making us parse large bodies. */
const BODY_LIMITS = { maxBytes: 16 * 1024, deadlineMs: BODY_DEADLINES.unknownCaller };

export interface TokenDependencies extends ExchangeDependencies {
  authenticate: ClientAuthenticator;
}

interface TokenRequest {
  request: Request;
  requestContext: RequestContext;
  log: Logger;
}

interface TokenResponse {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  scope: string;
}

/** Throws the errors of RFC 6749, section 5.2, and RFC 8707, and 429 after too many failed attempts. */
export async function issueToken(
  dependencies: TokenDependencies,
  { request, requestContext, log }: TokenRequest,
): Promise<TokenResponse> {
  const { issuer, authenticate } = dependencies;
  const parameters = readParameters(request, await readBody(request, BODY_LIMITS));
  if (!parameters.grant_type) throw invalidRequest('The parameter grant_type is missing.');
  if (parameters.grant_type === TOKEN_EXCHANGE)
    return await exchangeToken(dependencies, { parameters, request, requestContext, log });
  if (parameters.grant_type !== 'client_credentials') {
    throw new ApiError('unsupported_grant_type', 'The grant type must be client_credentials.', {
      reason: 'unsupported_grant_type',
    });
  }
  const credentials = readCredentials(request.headers.get('authorization'), parameters);
  if (!credentials) throw invalidClient('missing');
  const client = await authenticate(requestContext, credentials, log);

  const audience = readAudience(issuer, parameters);
  const scopes = scopesFor(issuer.resourceServerOf(audience), client.scopes, parameters.scope);
  return {
    access_token: await issuer.issue({ ...client, scopes }, audience),
    token_type: 'Bearer',
    expires_in: TOKEN_LIFETIME_SECONDS,
    scope: scopes.join(' '),
  };
}

export interface RevocationDependencies {
  verifier: TokenVerifier;
  authenticate: ClientAuthenticator;
  database: Database;
}

/**
 * Revokes the token if it is valid and belongs to this client. For any other token it responds the same way after the same number of
 * queries, so that the caller learns nothing about that token.
 */
export async function revokeToken(
  { verifier, authenticate, database }: RevocationDependencies,
  { request, requestContext, log }: TokenRequest,
): Promise<void> {
  const parameters = readParameters(request, await readBody(request, BODY_LIMITS), revocationParameters);
  const credentials = readCredentials(request.headers.get('authorization'), parameters);
  if (!credentials && parameters.token) {
    const token = await verifier.verify(parameters.token);
    // Persons have no credentials: their token is enough.
    if (token?.person) return await revokePersonToken(database, token, token.person);
    // There is nothing to revoke.
    if (await isTokenOfPerson(parameters.token)) return;
  }
  if (!credentials) throw invalidClient('missing');
  const { clientId = '' } = await authenticate(requestContext, credentials, log);
  if (!parameters.token) throw invalidRequest('The parameter token is missing.');
  const token = await verifier.verify(parameters.token);
  const own = token?.clientId === clientId ? token : undefined;
  await revokeAccessToken(database, clientId, own);
}
