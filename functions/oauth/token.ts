// POST /token: exchanges a client's credentials for an access token (RFC 6749, section 4.4).
// POST /revoke: revokes an access token before it expires (RFC 7009).
import {
  type ResourceServer,
  TOKEN_LIFETIME_SECONDS,
  type TokenIssuer,
  type TokenVerifier,
} from '../../shared/platform/access/access-tokens.ts';
import {
  type ClientAuthenticator,
  invalidClient,
  revokeAccessToken,
} from '../../shared/platform/access/oauth-clients.ts';
import { grantScopes, readScopesOf, recordsScopes } from '../../shared/platform/access/scopes.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { BODY_DEADLINES, readBody } from '../../shared/platform/request/body.ts';
import type { RequestContext } from '../../shared/platform/request/request-context.ts';
import { readCredentials } from './credentials.ts';
import { invalidRequest, readParameters, revocationParameters, type TokenParameters } from './parameters.ts';

/** Token requests are a few hundred bytes. The limit keeps unauthenticated callers from making us parse large bodies. */
const BODY_LIMITS = { maxBytes: 16 * 1024, deadlineMs: BODY_DEADLINES.unknownCaller };

export interface TokenDependencies {
  issuer: TokenIssuer;
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
  { issuer, authenticate }: TokenDependencies,
  { request, requestContext, log }: TokenRequest,
): Promise<TokenResponse> {
  const parameters = readParameters(request, await readBody(request, BODY_LIMITS));
  if (!parameters.grant_type) throw invalidRequest('The parameter grant_type is missing.');
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

/** Reads `audience` or `resource`, which mean the same. Throws `invalid_target`. */
function readAudience(issuer: TokenIssuer, { audience, resource }: TokenParameters): string {
  const differs = audience && resource && audience !== resource;
  const found = differs ? undefined : issuer.audienceOf(audience ?? resource);
  if (found) return found;
  const message = differs
    ? 'audience and resource differ. Send one of them.'
    : 'Unknown audience. Send the base URL of the API or the URL of the MCP server, or omit the parameter.';
  throw new ApiError('invalid_target', message, { reason: 'invalid_target' });
}

/** A token for the MCP server has only the scopes that read, unless others are requested by name. Throws `invalid_scope`. */
function scopesFor(acceptor: ResourceServer, owned: string[], requested: string | undefined): string[] {
  if (acceptor === 'mcp' && !requested?.trim()) {
    const scopes = readScopesOf(owned);
    if (scopes.length > 0) return scopes;
    throw invalidScope('This client has no scope that reads. Request the scopes that you need by name.');
  }
  const granted = grantScopes(owned, requested);
  if ('scopes' in granted) return granted.scopes;
  throw invalidScope(
    recordsScopes.some((scope) => scope === granted.missing)
      ? `This client does not have the scope ${granted.missing}.`
      : 'A requested scope is unknown. Separate scopes by spaces.',
  );
}

const invalidScope = (message: string) => new ApiError('invalid_scope', message, { reason: 'invalid_scope' });

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
  if (!credentials) throw invalidClient('missing');
  const client = await authenticate(requestContext, credentials, log);
  if (!parameters.token) throw invalidRequest('The parameter token is missing.');
  const token = await verifier.verify(parameters.token);
  const own = token?.clientId === client.clientId ? token : undefined;
  await revokeAccessToken(database, client.clientId, own);
}
