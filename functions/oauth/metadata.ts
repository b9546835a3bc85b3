// The routes of the `oauth` function, and the server metadata that clients discover (RFC 8414).
import { issuerOf } from '../../shared/platform/access/access-tokens.ts';
import { personScopes, recordsScopes } from '../../shared/platform/access/scopes.ts';
import type { Endpoint } from '../../shared/platform/http/endpoint.ts';

/** The grant of persons (RFC 8693). */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
/** Types of tokens that persons may exchange. Both are access tokens of Auth. */
export const SUBJECT_TYPES = [ACCESS_TOKEN, 'urn:ietf:params:oauth:token-type:jwt'] as const;

const AUTHENTICATION = ['client_secret_basic', 'client_secret_post'];

export function serverMetadata(functionsUrl: string) {
  const issuer = issuerOf(functionsUrl);
  return {
    issuer,
    // Clients of MCP reject metadata without it. It responds that there are no authorization requests.
    authorization_endpoint: `${issuer}${oauthRoutes.rejectAuthorization.path}`,
    token_endpoint: `${issuer}${oauthRoutes.createToken.path}`,
    token_endpoint_auth_methods_supported: AUTHENTICATION,
    revocation_endpoint: `${issuer}${oauthRoutes.revokeToken.path}`,
    revocation_endpoint_auth_methods_supported: AUTHENTICATION,
    jwks_uri: `${issuer}${oauthRoutes.listKeys.path}`,
    grant_types_supported: ['client_credentials', TOKEN_EXCHANGE],
    // The RFC requires a value even if there are no authorization requests.
    response_types_supported: ['none'],
    scopes_supported: [...recordsScopes, ...personScopes],
    // OpenID Connect Discovery requires this. No ID tokens are issued, and members without a value must be omitted.
    subject_types_supported: ['public'],
  };
}

/** Routes by `operationId`. They accept neither API keys nor access tokens, so they are not mounted as endpoints. */
export const oauthRoutes = {
  createToken: { method: 'post', path: '/token' },
  revokeToken: { method: 'post', path: '/revoke' },
  rejectAuthorization: { method: 'get', path: '/authorize' },
  listKeys: { method: 'get', path: '/.well-known/jwks.json' },
  getServerMetadata: { method: 'get', path: '/.well-known/oauth-authorization-server' },
  getOpenIdMetadata: { method: 'get', path: '/.well-known/openid-configuration' },
} as const satisfies Record<string, Pick<Endpoint, 'method' | 'path'>>;
