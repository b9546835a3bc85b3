// OpenAPI security schemes and scopes.
import { personScopes, type recordsScopes, type Scope } from '../../shared/platform/access/scopes.ts';
import { pageAddress } from '../../shared/platform/documentation.ts';

/** URL of the functions under `npm start`. Documents served by a function contain its own URL instead. */
export const LOCAL_URL = 'http://127.0.0.1:54321/functions/v1';

const scopeWords: Record<(typeof recordsScopes)[number], string> = {
  'read:leads': 'Read leads and their history.',
  'write:leads': 'Create, update, convert, merge and delete leads.',
  'read:deals': 'Read deals, stages and activities.',
  'write:deals': 'Create, update, move, close and delete deals; log activities.',
  'read:users': 'Read users, invitations, statistics and gamification.',
  'write:users': 'Invite, update and delete users; includes everything that write:teams allows.',
  'read:teams': 'Read teams and their members.',
  'write:teams': 'Create and update teams and their members.',
  'read:webhooks': 'Read webhooks and their deliveries.',
  'write:webhooks': 'Create, update, test and delete webhooks.',
  'read:standings': 'Read standings and seasons, which read:users includes.',
  admin: 'Includes all scopes above and the scopes below up to manage:workspace.',
  'read:settings': 'Read the settings and the plan of the workspace, gamification, automations and stages.',
  'read:audit': 'Read the request log and the audit trail.',
  'manage:gamification': 'Manage missions, rules, tiers, badges, challenges and seasons; correct points.',
  'manage:automations': 'Manage automations.',
  'manage:workspace': 'Change the settings and the stages of the workspace.',
  'read:payments': 'Read payment accounts, routes, approval rules, payouts and payment webhooks.',
  'manage:payments': 'Manage payment accounts, routes, approval rules and payment webhooks; adjust balances.',
  'approve:payouts': 'Approve and reject payouts.',
  'request:payouts': 'Request payouts that wait for approval.',
  'manage:access': 'Manage API keys and OAuth clients, up to the scopes of the token.',
  'manage:persons': 'Export and erase the data of persons.',
};

export const schemes = {
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description:
      '`SVC-SIGN-V1 <API_KEY>:<TIMESTAMP>:<SIGNATURE>`. The timestamp is in Unix seconds. The signature is the hex HMAC-SHA256, with ' +
      'the API key, of timestamp, method, target and the SHA-256 of the body. ' +
      `See ${pageAddress('authentication')} for the exact format.`,
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'The API key as a bearer token. Prefer signed requests.',
  },
  person: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The token of a person who signed in, from the token endpoint (grant token-exchange). Programs sign with an API key instead.',
  },
  oauth2: {
    type: 'oauth2',
    description:
      'Exchange a client id and secret for an access token that is valid for one hour. Any one of the listed scopes is sufficient.',
    flows: { clientCredentials: { tokenUrl: `${LOCAL_URL}/oauth/token`, scopes: scopeWords } },
  },
  board: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The token of a board (`board_...`), which opens the standings of the board and nothing else.',
  },
  client: {
    type: 'http',
    scheme: 'basic',
    description: 'Id and secret of an OAuth client, each form-encoded. They can be sent in the body instead.',
  },
} as const;

export type SchemeName = keyof typeof schemes;

/** Any one of the schemes, with any one of the scopes, is sufficient. OpenAPI supports scopes only for OAuth. */
export const securityOf = (names: readonly SchemeName[], scopes: readonly Scope[], everyPerson = false) =>
  names.flatMap((name) => {
    // With OAuth, the scopes of persons and clients are the same, except for these.
    if (name === 'person' && names.includes('oauth2') && !everyPerson && !scopes.some(isOfPersons)) return [];
    if (schemes[name].type !== 'oauth2') return [{ [name]: [] }];
    return scopes.filter((scope) => !isOfPersons(scope)).map((scope) => ({ [name]: [scope] }));
  });

const isOfPersons = (scope: Scope): boolean => personScopes.some((one) => one === scope);
