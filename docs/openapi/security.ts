// How callers say who they are, as OpenAPI names it.
import type { recordsScopes, Scope } from '../../shared/platform/access/scopes.ts';

/** Where `npm start` has the functions; a document that a function serves names its own address instead. */
export const LOCAL_URL = 'http://127.0.0.1:54321/functions/v1';

const scopeWords: Record<(typeof recordsScopes)[number], string> = {
  'read:leads': 'Read leads and their history.',
  'write:leads': 'Create, change, convert and delete leads.',
  'read:deals': 'Read deals, stages and activities.',
  'write:deals': 'Create, change, move, close and delete deals; log activities.',
  'read:users': 'Read users, invitations and what they did.',
  'write:users': 'Invite, change and remove users; also all that write:teams allows.',
  'read:teams': 'Read teams and their members.',
  'write:teams': 'Create and change teams and their members.',
  'read:webhooks': 'Read webhooks and their deliveries.',
  'write:webhooks': 'Create, change, test and delete webhooks.',
  admin: 'All of the others.',
};

export const schemes = {
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description:
      '`SVC-SIGN-V1 <API_KEY>:<TIMESTAMP>:<SIGNATURE>`. The timestamp is in Unix seconds; the signature is the HMAC-SHA256, in hex and ' +
      'with the API key, of timestamp, method, target and the SHA-256 of the body: docs/authentication.md has it line by line.',
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'The earlier form: the API key itself.',
  },
  oauth2: {
    type: 'oauth2',
    description:
      'A client id and secret are traded for a token, which is good for an hour. Any one of the scopes lets in.',
    flows: { clientCredentials: { tokenUrl: `${LOCAL_URL}/oauth/token`, scopes: scopeWords } },
  },
  client: {
    type: 'http',
    scheme: 'basic',
    description:
      'Client id and secret of an OAuth client, each form-encoded; they may stand in the body instead.',
  },
} as const;

export type SchemeName = keyof typeof schemes;

/** Any one of the schemes lets in, with any one of the scopes. Only OAuth has a place for scopes; others are described. */
export const securityOf = (names: readonly SchemeName[], scopes: readonly Scope[]) =>
  names.flatMap((name) =>
    schemes[name].type === 'oauth2' ? scopes.map((scope) => ({ [name]: [scope] })) : [{ [name]: [] }],
  );
