// What programs find by themselves: where tokens come from and end (RFC 8414).
import { issuerOf } from '../../shared/platform/access/access-tokens.ts';
import { recordsScopes } from '../../shared/platform/access/scopes.ts';
import { oauthRoutes } from './routes.ts';

const AUTHENTICATION = ['client_secret_basic', 'client_secret_post'];

export function serverMetadata(functionsUrl: string) {
  const issuer = issuerOf(functionsUrl);
  return {
    issuer,
    token_endpoint: `${issuer}${oauthRoutes.createToken.path}`,
    token_endpoint_auth_methods_supported: AUTHENTICATION,
    revocation_endpoint: `${issuer}${oauthRoutes.revokeToken.path}`,
    revocation_endpoint_auth_methods_supported: AUTHENTICATION,
    jwks_uri: `${issuer}${oauthRoutes.listKeys.path}`,
    grant_types_supported: ['client_credentials'],
    // There is no authorization endpoint; the RFC wants the member.
    response_types_supported: [],
    scopes_supported: recordsScopes,
  };
}
