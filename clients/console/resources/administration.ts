// Keys, clients, automations, settings, persons, and the two logs.
import { functionNames } from '../../../functions/manifest.ts';
import { apiKeyScopes, recordsScopes } from '../../../shared/platform/access/scopes.ts';
import { eventTypes } from '../../../shared/records/events/event-types.ts';
import { keyScopes, opens } from '../api/access.ts';
import { isOwnRequest } from '../api/deployment.ts';
import { asJson, asText, type Json } from '../api/json.ts';
import { eventWords, kindName } from '../kit/api-words.tsx';
import { managed } from './acts.ts';
import { recordMembers } from './event-members.ts';
import { actionItems, conditionsOf } from './items.ts';
import { choices, eventWordOptions, languageOptions, scopeOption, users } from './options.ts';
import { below, type Field, type Resource } from './resource.ts';
import { ruleInWords } from './rule-in-words.ts';

const ACCESS = 'manage:access';

const label: Field = {
  name: 'label',
  required: true,
  help: 'Who uses it, such as the name of a system.',
};

const keyFields: Field[] = [
  label,
  {
    name: 'scopes',
    as: 'choices',
    required: true,
    help: 'You can only grant scopes that your own client has.',
    options: ({ scopes }) =>
      apiKeyScopes.map((value) => ({
        ...scopeOption(value),
        disabled: !opens(scopes, keyScopes[value] ?? ''),
      })),
  },
  { name: 'requests_per_hour', as: 'integer', value: '1000' },
  { name: 'ip_allowlist', as: 'lines', help: 'One address or network per line. Leave empty to allow all.' },
  { name: 'expires_at', as: 'moment', help: 'Leave empty for no expiry.' },
];

export const keys: Resource = {
  path: '/access/keys',
  api: '/v1/admin/api-keys',
  scope: ACCESS,
  title: 'API keys',
  lead: 'For activity sync and payments.',
  named: 'label',
  paging: 'pages',
  columns: [
    { name: 'label' },
    { name: 'key_start', as: 'code' },
    { name: 'state' },
    { name: 'scopes' },
    { name: 'last_used_at' },
    { name: 'expires_at' },
  ],
  more: [
    { name: 'requests_per_hour', as: 'number' },
    { name: 'ip_allowlist' },
    { name: 'created_at' },
    { name: 'id' },
  ],
  acts: [
    {
      name: 'new',
      label: 'Create key',
      scope: ACCESS,
      method: 'POST',
      target: () => '/v1/admin/api-keys',
      fields: keyFields,
      secrets: ['api_key'],
      done: 'Created.',
    },
  ],
  recordActs: [
    {
      name: 'edit',
      label: 'Edit',
      scope: ACCESS,
      method: 'PATCH',
      target: below('/v1/admin/api-keys'),
      fields: keyFields,
      when: ({ state }) => state === 'active',
      done: 'Saved.',
    },
    {
      name: 'rotate',
      label: 'Rotate',
      scope: ACCESS,
      method: 'POST',
      target: below('/v1/admin/api-keys', '/rotate'),
      text: 'Creates a new key and shows it once. The old key expires in 24 hours.',
      danger: true,
      when: ({ state }) => state !== 'revoked',
      secrets: ['api_key'],
      done: 'Saved.',
    },
    {
      name: 'revoke',
      label: 'Revoke',
      scope: ACCESS,
      method: 'DELETE',
      target: below('/v1/admin/api-keys'),
      text: 'The key stops working immediately. This cannot be undone.',
      danger: true,
      when: ({ state }) => state !== 'revoked',
      done: 'Revoked.',
    },
  ],
  none: 'No keys yet',
  hint: 'Create one for each system that sends activities or payments.',
};

const clientFields: Field[] = [
  label,
  {
    name: 'scopes',
    as: 'choices',
    required: true,
    help: 'You can only grant scopes that your own client has.',
    options: ({ scopes }) =>
      recordsScopes.map((value) => ({ ...scopeOption(value), disabled: !opens(scopes, value) })),
  },
  {
    name: 'variant',
    as: 'select',
    required: true,
    options: choices(['a', 'b', 'c']),
    value: 'a',
    help: 'How the API names members for this client. Keep a, unless the documentation of the client requires another one.',
  },
  {
    name: 'user',
    as: 'select',
    options: users,
    help: 'The user that the client acts as, for example as the author of activities.',
  },
];

export const clients: Resource = {
  path: '/access/clients',
  api: '/v1/admin/clients',
  scope: ACCESS,
  title: 'Clients',
  lead: 'For records, administration and agents. A client exchanges its secret for access tokens.',
  id: 'client_id',
  named: 'label',
  paging: 'pages',
  columns: [
    { name: 'label' },
    { name: 'client_id', as: 'code' },
    { name: 'state' },
    { name: 'scopes' },
    { name: 'created_at' },
  ],
  more: [
    { name: 'variant', as: 'text' },
    { name: 'user.email', label: 'User' },
  ],
  acts: [
    {
      name: 'new',
      label: 'Create client',
      scope: ACCESS,
      method: 'POST',
      target: () => '/v1/admin/clients',
      fields: clientFields,
      secrets: ['client_id', 'client_secret'],
      done: 'Created.',
    },
  ],
  recordActs: [
    {
      name: 'edit',
      label: 'Edit',
      scope: ACCESS,
      method: 'PATCH',
      target: below('/v1/admin/clients', '', 'client_id'),
      fields: clientFields,
      when: ({ state }) => state !== 'revoked',
      done: 'Saved.',
    },
    {
      name: 'rotate',
      label: 'Rotate secret',
      scope: ACCESS,
      method: 'POST',
      target: below('/v1/admin/clients', '/rotate-secret', 'client_id'),
      text: 'Creates a new secret and shows it once. The old secret expires in 24 hours.',
      danger: true,
      when: ({ state }) => state !== 'revoked',
      secrets: ['client_secret'],
      done: 'Saved.',
    },
    {
      name: 'revoke',
      label: 'Revoke',
      scope: ACCESS,
      method: 'DELETE',
      target: below('/v1/admin/clients', '', 'client_id'),
      text: 'The client, its tokens and its webhooks stop working immediately. This cannot be undone.',
      danger: true,
      when: ({ state }) => state !== 'revoked',
      done: 'Revoked.',
    },
  ],
  none: 'No clients yet',
  hint: 'Create one for each system or agent that reads or changes records.',
};

export const automations: Resource = {
  path: '/automations',
  api: '/v1/admin/automations',
  scope: 'read:settings',
  title: 'Automations',
  lead: 'Actions that run when an event occurs.',
  paging: 'pages',
  search: true,
  columns: [
    { name: 'name' },
    { name: 'event', text: ({ event }) => eventWords(asText(event)) },
    { name: 'active' },
    { name: 'rule', label: 'Rule', as: 'text', text: ruleInWords },
  ],
  more: [{ name: 'created_at' }, { name: 'id' }],
  omitted: ['conditions', 'actions'],
  ...managed({
    api: '/v1/admin/automations',
    scope: 'manage:automations',
    create: 'Create automation',
    edit: 'Edit',
    remove: 'Delete',
    removal:
      'The automation and the list of its runs are deleted. To stop it only, edit it and clear Active.',
    fields: [
      { name: 'name', required: true },
      { name: 'event', as: 'select', required: true, options: eventWordOptions(eventTypes) },
      {
        name: 'conditions',
        as: 'items',
        items: conditionsOf(recordMembers, 'event'),
        help: 'All must match. Without conditions, the actions always run.',
      },
      {
        name: 'actions',
        as: 'items',
        items: actionItems,
        required: true,
        help: "They run in this order. The value is a tag, a user's email, a stage, a text, or a number of points.",
      },
      { name: 'active', as: 'checkbox', value: 'true' },
    ],
  }),
  sections: [
    {
      title: 'Latest runs',
      api: below('/v1/admin/automations', '/runs'),
      columns: [
        { name: 'created_at', label: 'Time' },
        { name: 'outcome', as: 'status' },
        { name: 'event' },
        {
          name: 'event_id',
          label: 'Id',
          as: 'code',
          href: ({ event_id: id }) => (id ? `/events/${asText(id)}` : undefined),
        },
        { name: 'error', as: 'english' },
      ],
      none: 'No runs yet',
    },
  ],
  none: 'No automations yet',
  hint: 'An example: when a deal above 10,000 is created, add the tag big and a call to its activities.',
};

export const stages: Resource = {
  path: '/settings/stages',
  api: '/v1/admin/stages',
  scope: 'read:settings',
  title: 'Stages',
  lead: 'The steps of the pipeline.',
  paging: 'pages',
  columns: [{ name: 'name' }, { name: 'position', as: 'number' }, { name: 'probability', as: 'number' }],
  compare: (one, other) => Number(one.position) - Number(other.position),
  ...managed({
    api: '/v1/admin/stages',
    scope: 'manage:workspace',
    create: 'Create stage',
    edit: 'Edit',
    remove: 'Delete',
    removal: 'The stage is deleted. A stage with deals cannot be deleted: move them first.',
    fields: [
      { name: 'name', required: true },
      { name: 'position', as: 'integer', required: true },
      { name: 'probability', as: 'integer', required: true, help: '0 to 100.' },
    ],
  }),
  none: 'No stages yet',
};

export const requests: Resource = {
  path: '/requests',
  api: '/v1/admin/requests',
  scope: 'read:audit',
  title: 'Requests',
  lead: 'All API requests of the last 24 hours, or of a period of up to 31 days.',
  id: 'request_id',
  named: 'request_id',
  paging: 'cursor',
  filters: [
    {
      name: 'status',
      label: 'Status',
      values: ['failed', '4xx', '5xx', '400', '401', '403', '404', '409', '422', '429', '500'],
    },
    { name: 'function', label: 'Function', values: functionNames },
    { name: 'method', label: 'Method', values: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
    { name: 'path', label: 'Path begins with' },
    { name: 'caller', label: 'Caller' },
    { name: 'reason', label: 'Reason' },
    { name: 'request_id', label: 'Request id' },
  ],
  dates: { from: 'from', to: 'to', none: 'last 24 hours' },
  hides: { label: 'Console', isHidden: isOwnRequest },
  columns: [
    { name: 'path', text: ({ method, path }) => `${asText(method)} ${asText(path)}` },
    { name: 'status', as: 'http' },
    { name: 'reason', as: 'name' },
    { name: 'fields', label: 'Invalid fields' },
    { name: 'caller.label' },
    { name: 'duration_ms', as: 'number' },
    { name: 'at' },
  ],
  more: [{ name: 'function' }, { name: 'ip' }, { name: 'query' }, { name: 'request_id' }],
  none: 'No requests in this period',
  wider: true,
};

const changedKinds = [
  'mission',
  'activity_code',
  'point_rule',
  'points',
  'activity',
  'ranking',
  'badge',
  'challenge',
  'season',
  'tier',
  'automation',
  'crm_account',
  'crm_stage',
  'crm_activity_type',
  'crm_run',
  'crm_difference',
  'webhook',
  'payment_webhook',
  'api_key',
  'client',
  'payout',
  'provider_account',
  'payout_approval_rule',
  'stage',
  'tenant',
  'user_access',
  'board',
  'person',
];

export const changes: Resource = {
  path: '/changes',
  api: '/v1/admin/changes',
  scope: 'read:audit',
  title: 'Changes',
  lead: 'Who changed what in this workspace, and when.',
  named: 'summary',
  paging: 'cursor',
  filters: [
    { name: 'act', label: 'Change', values: changedKinds.map((kind) => `${kind}.*`), nameOf: kindName },
    { name: 'actor', label: 'Who' },
    { name: 'subject', label: 'Subject' },
    { name: 'via', label: 'Via', values: ['sql', 'api', 'mcp'] },
  ],
  dates: { from: 'from', to: 'to' },
  columns: [
    { name: 'summary' },
    { name: 'actor.name', text: actorOf },
    { name: 'via' },
    { name: 'at' },
    { name: 'reason' },
  ],
  more: [
    { name: 'act', as: 'code' },
    { name: 'subject.name' },
    { name: 'on_behalf_of' },
    { name: 'program' },
    { name: 'request_id', href: ({ request_id: id }) => (id ? `/requests/${asText(id)}` : undefined) },
  ],
  none: 'No changes in this period',
  hint: 'Changes to the setup appear here, whether made in the console, through the API or by SQL.',
};

/** The person, if the client or key names one. */
function actorOf({ actor, on_behalf_of: person }: Json): string {
  const { kind, id, name } = asJson(actor);
  const credentials = asText(name) || asText(id) || asText(kind);
  return asText(person) ? `${asText(person)} (${credentials})` : credentials;
}

/** Actions on the workspace, without a list. */
export const settings: Resource = {
  path: '/settings',
  api: '/v1/admin/settings',
  scope: 'read:settings',
  title: 'Settings',
  lead: 'Settings and plan of the workspace.',
  paging: 'all',
  flat: true,
  columns: [],
  acts: [
    {
      name: 'edit',
      label: 'Change settings',
      scope: 'manage:workspace',
      method: 'PATCH',
      target: () => '/v1/admin/settings',
      current: '/v1/admin/settings',
      fields: [
        { name: 'name', required: true },
        { name: 'time_zone', required: true, help: 'An IANA name such as America/Sao_Paulo.' },
        {
          name: 'language',
          label: 'Email language',
          as: 'select',
          required: true,
          options: languageOptions,
        },
        { name: 'owner_email', as: 'email', help: 'Receives emails about failing webhooks and accounts.' },
        { name: 'nfse_cancellation_hours', as: 'integer' },
      ],
      done: 'Saved.',
    },
    {
      name: 'sign-in',
      label: 'Change sign-in',
      scope: 'manage:access',
      method: 'PATCH',
      target: () => '/v1/admin/settings',
      current: '/v1/admin/settings',
      text: 'Applies to everyone in this workspace, with immediate effect. The second factor is a code from an authenticator app. Everyone sets it up at the next sign-in, you too.',
      fields: [
        { name: 'sign_in', as: 'checkbox' },
        { name: 'require_mfa', as: 'checkbox' },
      ],
      done: 'Saved.',
    },
  ],
  none: 'Nothing here',
};

export const persons: Resource = {
  path: '/persons',
  api: '/v1/admin/persons',
  scope: 'manage:persons',
  title: 'Persons',
  lead: "Export or erase a person's data.",
  paging: 'all',
  flat: true,
  columns: [],
  acts: [
    {
      name: 'export',
      label: 'Export as a file',
      scope: 'manage:persons',
      method: 'POST',
      target: () => '/v1/admin/persons/export',
      text: 'Collects everything that is stored about the person in one JSON file.',
      fields: [{ name: 'email', as: 'email', required: true }],
      download: 'person.json',
      done: 'Saved.',
    },
    {
      name: 'erase',
      label: 'Erase',
      scope: 'manage:persons',
      method: 'POST',
      target: () => '/v1/admin/persons/erase',
      text: "Erases the person's name, addresses and free text everywhere, including events and the audit trail. Ledgers and issued tax documents stay. This cannot be undone.",
      danger: true,
      fields: [
        { name: 'email', as: 'email', required: true },
        { name: 'confirm', as: 'email', required: true },
      ],
      done: 'The person was erased.',
    },
  ],
  none: 'Nothing here',
};
