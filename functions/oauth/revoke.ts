// POST /revoke: revokes an access token before it expires (RFC 7009).
import type { TokenVerifier } from '../../shared/platform/access/access-tokens.ts';
import {
  type ClientAuthenticator,
  invalidClient,
  revokeAccessToken,
} from '../../shared/platform/access/oauth-clients.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { readBody } from '../../shared/platform/request/body.ts';
import { readCredentials } from './credentials.ts';
import { invalidRequest, readParameters, revocationParameters } from './parameters.ts';
import { BODY_LIMITS, type TokenRequest } from './token.ts';

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
