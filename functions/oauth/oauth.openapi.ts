// OpenAPI descriptions of the token endpoints, their metadata and the public keys.
import { z } from 'zod';
import { personScopes, recordsScopes } from '../../shared/platform/access/scopes.ts';
import {
  allowHeader,
  challengeHeaders,
  json,
  movedDescription,
  movedHeaders,
  movedMember,
  type Operation,
  type ResponseHeaders,
  retryAfterHeader,
} from '../../shared/platform/http/openapi.ts';
import { ACCESS_TOKEN, type oauthRoutes, SUBJECT_TYPES, TOKEN_EXCHANGE } from './metadata.ts';

const tokenRequest = z
  .object({
    grant_type: z
      .enum(['client_credentials', TOKEN_EXCHANGE])
      .describe('`client_credentials` for programs. The grant of RFC 8693 for persons, without a client.'),
    client_id: z.string().optional().describe('Required unless sent in the Authorization header.'),
    client_secret: z.string().optional().describe('Required unless sent in the Authorization header.'),
    audience: z
      .string()
      .optional()
      .describe(
        'Base URL of the API that the token is for, or URL of the MCP server. Default: the base URL of the functions.',
      ),
    resource: z
      .string()
      .optional()
      .describe('The same as `audience` (RFC 8707). If you send both, they must be equal.'),
    scope: z
      .string()
      .optional()
      .describe(
        `Space-separated scopes. Default: all scopes of the client or person; for the MCP server only those that begin with read:. Possible scopes: ${[...recordsScopes, ...personScopes].join(', ')}.`,
      ),
    subject_token: z
      .string()
      .optional()
      .describe('Persons: the access token of a session of Supabase Auth of this project.'),
    subject_token_type: z
      .enum(SUBJECT_TYPES)
      .optional()
      .describe('Persons: required. Both values mean the same.'),
    requested_token_type: z.literal(ACCESS_TOKEN).optional(),
    tenant: z
      .string()
      .optional()
      .describe('Persons: slug or id of the workspace. Default: the only one that the person may choose.'),
  })
  .meta({ id: 'TokenRequest' });

const token = z
  .object({
    access_token: z.string().describe('A JWT, for the header Authorization: Bearer <token>.'),
    token_type: z.literal('Bearer'),
    expires_in: z.int().describe('Seconds until the token expires.'),
    scope: z.string().describe('Space-separated scopes of this token.'),
    issued_token_type: z.literal(ACCESS_TOKEN).optional().describe('Only for persons.'),
    tenant: z
      .object({ id: z.uuid(), slug: z.string(), name: z.string() })
      .optional()
      .describe('The workspace of the person.'),
  })
  .meta({ id: 'Token' });

const error = z
  .object({
    error: z.string().describe('An error code of RFC 6749 or RFC 8707, such as invalid_client.'),
    error_description: z.string().describe('An explanation for developers.'),
    reason: z
      .enum([
        'subject_token_invalid',
        'subject_token_expired',
        'not_a_member',
        'mfa_required',
        'workspace_needed',
        'workspace_unknown',
      ])
      .optional()
      .describe('Why a person got no token. After `subject_token_expired`, refresh the session of Auth.'),
    workspaces: z
      .array(z.object({ slug: z.string(), name: z.string() }))
      .optional()
      .describe('With `workspace_needed` and `workspace_unknown`: those that the person may choose.'),
    moved_to: movedMember,
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
        kid: z.string().describe('The kid in the header of tokens signed with this key.'),
        use: z.literal('sig'),
        alg: z.literal('ES256'),
      }),
    ),
  })
  .meta({ id: 'KeySet' });

export const errorResponse = (description: string, headers?: ResponseHeaders) => ({
  description,
  content: json(error),
  ...(headers && { headers: { ...headers } }),
});

const failuresOfClients = (badRequest: string) => ({
  400: errorResponse(badRequest),
  401: errorResponse(
    'invalid_client: the client is unknown or revoked, or its secret is missing or wrong.',
    challengeHeaders,
  ),
  405: errorResponse('The method is not POST.', allowHeader),
  408: errorResponse('The body did not arrive in time.'),
  413: errorResponse('The body exceeds 16 KiB.'),
  415: errorResponse('The body is neither a form nor JSON.'),
  421: errorResponse(movedDescription, movedHeaders),
  429: errorResponse('Too many failed attempts.', retryAfterHeader),
  500: errorResponse('Internal error. Retry with backoff.'),
  503: errorResponse('The database is unreachable. Retry.', retryAfterHeader),
});

const createToken: Operation = {
  tags: ['Tokens'],
  summary: 'Get an access token',
  description:
    'Programs send the client credentials grant of OAuth 2.0. Persons exchange the access token of their session of Supabase Auth (RFC 8693), without a client. Reuse the token until shortly before it expires: that of a client is valid for an hour, that of a person for 15 minutes.',
  security: [{ client: [] }, {}],
  request: {
    body: {
      required: true,
      content: { 'application/x-www-form-urlencoded': { schema: tokenRequest }, ...json(tokenRequest) },
    },
  },
  responses: {
    200: { description: 'The token.', content: json(token) },
    ...failuresOfClients('invalid_request, unsupported_grant_type, invalid_scope or invalid_target.'),
  },
};

const revocationRequest = z
  .object({
    token: z.string().describe('An access token of this client, or of a person, which needs no client.'),
    token_type_hint: z.string().optional().describe('Ignored, because all tokens are access tokens.'),
    client_id: z.string().optional().describe('Required unless sent in the Authorization header.'),
    client_secret: z.string().optional().describe('Required unless sent in the Authorization header.'),
  })
  .meta({ id: 'RevocationRequest' });

const revokeToken: Operation = {
  tags: ['Tokens'],
  summary: 'Revoke an access token',
  description:
    'The token is rejected from the next request on (RFC 7009). The endpoint always returns 200, so it reveals nothing about other tokens.',
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
    200: { description: 'The token is revoked if it belongs to this client.' },
    ...failuresOfClients('invalid_request.'),
  },
};

const addresses = z.array(z.string());
const metadata = z
  .object({
    issuer: z.url(),
    authorization_endpoint: z
      .url()
      .describe('Rejects all requests. It exists because some clients require this member.'),
    token_endpoint: z.url(),
    token_endpoint_auth_methods_supported: addresses,
    revocation_endpoint: z.url(),
    revocation_endpoint_auth_methods_supported: addresses,
    jwks_uri: z.url(),
    grant_types_supported: z.array(z.enum(['client_credentials', TOKEN_EXCHANGE])),
    response_types_supported: addresses.describe('`none`: there are no authorization requests.'),
    scopes_supported: z.array(z.enum([...recordsScopes, ...personScopes])),
    subject_types_supported: z.array(z.literal('public')),
  })
  .meta({ id: 'ServerMetadata' });

const getServerMetadata: Operation = {
  tags: ['Metadata'],
  security: [],
  summary: 'Get the authorization server metadata',
  description: 'URLs and capabilities of the authorization server (RFC 8414).',
  responses: {
    200: { description: 'The metadata.', content: json(metadata) },
    405: errorResponse('The method is not GET.', allowHeader),
  },
};

const rejectAuthorization: Operation = {
  tags: ['Metadata'],
  security: [],
  summary: 'Reject an authorization request',
  description:
    'Clients act for themselves with the grant client_credentials, so there are no authorization requests.',
  responses: {
    400: errorResponse('unsupported_response_type.'),
    405: errorResponse('The method is not GET.', allowHeader),
  },
};

const listKeys: Operation = {
  tags: ['Metadata'],
  security: [],
  summary: 'Get the public keys for verifying access tokens',
  description: 'A JWK Set (RFC 7517). Only needed if you verify tokens yourself.',
  responses: {
    200: { description: 'The keys.', content: json(keys) },
    405: errorResponse('The method is not GET.', allowHeader),
    500: errorResponse('Internal error.'),
  },
};

export const oauthOperations: Readonly<Record<keyof typeof oauthRoutes, Operation>> = {
  createToken,
  revokeToken,
  rejectAuthorization,
  listKeys,
  getServerMetadata,
  getOpenIdMetadata: {
    ...getServerMetadata,
    description: 'The same metadata at the path of OpenID Connect Discovery, which many OAuth libraries use.',
  },
};
