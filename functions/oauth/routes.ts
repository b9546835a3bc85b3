// The routes of the function, as OpenAPI lists them. None takes an API key or an access token, so none is an endpoint like those of
// other functions.
import type { Endpoint } from '../../shared/platform/http/endpoint.ts';

export const oauthRoutes = {
  createToken: { method: 'post', path: '/token' },
  revokeToken: { method: 'post', path: '/revoke' },
  listKeys: { method: 'get', path: '/.well-known/jwks.json' },
  getServerMetadata: { method: 'get', path: '/.well-known/oauth-authorization-server' },
  getOpenIdMetadata: { method: 'get', path: '/.well-known/openid-configuration' },
} as const satisfies Record<string, Pick<Endpoint, 'method' | 'path'>>;
