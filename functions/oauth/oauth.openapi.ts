// What OpenAPI says of the token endpoint and of the public keys.
import { z } from 'zod';
import { recordsScopes } from '../../shared/platform/access/scopes.ts';
import {
  allowHeader,
  challengeHeaders,
  json,
  type Operation,
  type ResponseHeaders,
  retryAfterHeader,
} from '../../shared/platform/http/openapi.ts';
import type { oauthRoutes } from './metadata.ts';

const tokenRequest = z
  .object({
    grant_type: z.literal('client_credentials'),
    client_id: z.string().optional().describe('Unless the Authorization header has it.'),
    client_secret: z.string().optional().describe('Unless the Authorization header has it.'),
    audience: z
      .string()
      .optional()
      .describe('Base address of the API that the token is for; that of the functions when absent.'),
    scope: z
      .string()
      .optional()
      .describe(
        `Scopes separated by spaces, all that the client has when absent: ${recordsScopes.join(', ')}.`,
      ),
  })
  .meta({ id: 'TokenRequest' });

const token = z
  .object({
    access_token: z.string().describe('A JWT, for the header Authorization: Bearer <token>.'),
    token_type: z.literal('Bearer'),
    expires_in: z.int().describe('Seconds.'),
    scope: z.string().describe('Scopes of this token, separated by spaces.'),
  })
  .meta({ id: 'Token' });

const error = z
  .object({
    error: z.string().describe('A code of RFC 6749 or RFC 8707, such as invalid_client.'),
    error_description: z.string().describe('A sentence for developers.'),
  })
  .meta({ id: 'Error' });

const keys = z
  .object({
    keys: z.array(
      z.object({
        kty: z.literal('EC'),
        crv: z.literal('P-256'),
        x: z.string(),
        y: z.string(),
        kid: z.string().describe('The kid of the tokens that it checks.'),
        use: z.literal('sig'),
        alg: z.literal('ES256'),
      }),
    ),
  })
  .meta({ id: 'KeySet' });

export const fails = (description: string, headers?: ResponseHeaders) => ({
  description,
  content: json(error),
  ...(headers && { headers: { ...headers } }),
});

const failuresOfClients = (badRequest: string) => ({
  400: fails(badRequest),
  401: fails(
    'invalid_client: the client is unknown or revoked, or its secret is missing or wrong.',
    challengeHeaders,
  ),
  405: fails('A method other than POST.', allowHeader),
  408: fails('The body did not come in time.'),
  413: fails('The body exceeds 16 KiB.'),
  415: fails('The body is neither a form nor JSON.'),
  429: fails('Too many attempts failed.', retryAfterHeader),
  500: fails('Internal error; retry with backoff.'),
  503: fails('The database cannot be reached.', retryAfterHeader),
});

const createToken: Operation = {
  tags: ['Tokens'],
  summary: 'Get an access token',
  description:
    'The client credentials grant of OAuth 2.0. Keep the token and use it until shortly before it expires.',
  security: [{ client: [] }, {}],
  request: {
    body: {
      required: true,
      content: { 'application/x-www-form-urlencoded': { schema: tokenRequest }, ...json(tokenRequest) },
    },
  },
  responses: {
    200: { description: 'A token.', content: json(token) },
    ...failuresOfClients('invalid_request, unsupported_grant_type, invalid_scope or invalid_target.'),
  },
};

const revocationRequest = z
  .object({
    token: z.string().describe('An access token of this client.'),
    token_type_hint: z.string().optional().describe('Changes nothing: there are only access tokens.'),
    client_id: z.string().optional().describe('Unless the Authorization header has it.'),
    client_secret: z.string().optional().describe('Unless the Authorization header has it.'),
  })
  .meta({ id: 'RevocationRequest' });

const revokeToken: Operation = {
  tags: ['Tokens'],
  summary: 'End an access token',
  description:
    'Refused from the next request on (RFC 7009). Answered 200 whatever the token is, so that nothing is learnt about those of others.',
  security: [{ client: [] }, {}],
  request: {
    body: {
      required: true,
      content: {
        'application/x-www-form-urlencoded': { schema: revocationRequest },
        ...json(revocationRequest),
      },
    },
  },
  responses: {
    200: { description: 'If it was a token of this client, it is ended.' },
    ...failuresOfClients('invalid_request.'),
  },
};

const addresses = z.array(z.string());
const metadata = z
  .object({
    issuer: z.url(),
    token_endpoint: z.url(),
    token_endpoint_auth_methods_supported: addresses,
    revocation_endpoint: z.url(),
    revocation_endpoint_auth_methods_supported: addresses,
    jwks_uri: z.url(),
    grant_types_supported: z.array(z.literal('client_credentials')),
    response_types_supported: addresses.describe('Empty: there is no authorization endpoint.'),
    scopes_supported: z.array(z.enum(recordsScopes)),
  })
  .meta({ id: 'ServerMetadata' });

const getServerMetadata: Operation = {
  tags: ['Metadata'],
  security: [],
  summary: 'Where tokens come from and end',
  description: 'Authorization server metadata (RFC 8414).',
  responses: {
    200: { description: 'The metadata.', content: json(metadata) },
    405: fails('A method other than GET.', allowHeader),
  },
};

const listKeys: Operation = {
  tags: ['Metadata'],
  security: [],
  summary: 'Public keys that check access tokens',
  description: 'A JWK Set (RFC 7517). Only for those who want to check tokens themselves.',
  responses: {
    200: { description: 'The keys.', content: json(keys) },
    405: fails('A method other than GET.', allowHeader),
    500: fails('Internal error.'),
  },
};

export const oauthOperations: Readonly<Record<keyof typeof oauthRoutes, Operation>> = {
  createToken,
  revokeToken,
  listKeys,
  getServerMetadata,
  getOpenIdMetadata: {
    ...getServerMetadata,
    description: 'The same where OpenID Connect Discovery has it, which is where many clients look.',
  },
};
