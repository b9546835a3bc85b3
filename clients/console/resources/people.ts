// What people may do after they sign in, and boards: standings on a screen.
import { presets, recordsScopes } from '../../../shared/platform/access/scopes.ts';
import { standingsPeriods } from '../../../shared/records/gamification/standings-query.ts';
import { opens } from '../api/access.ts';
import { asText } from '../api/json.ts';
import { t } from '../kit/language.ts';
import type { View } from '../view.ts';
import { choices, scopeOption, teams } from './options.ts';
import { below, type Option, type Resource } from './resource.ts';

const ACCESS = 'manage:access';
const USERS = '/v1/admin/users';
const BOARDS = '/v1/admin/boards';
const MAX_SEASONS = 100;

export const people: Resource = {
  path: '/access/people',
  api: USERS,
  apiRest: '/access',
  scope: ACCESS,
  title: 'People',
  lead: 'What the users of this workspace may do after they sign in.',
  id: 'user_id',
  paging: 'pages',
  search: true,
  filters: [{ name: 'access', label: 'Access', values: presets }],
  columns: [
    { name: 'name' },
    { name: 'email' },
    { name: 'role' },
    { name: 'access', as: 'name', text: ({ access }) => (access === null ? t('own choice') : '') },
    { name: 'linked', as: 'bool' },
    { name: 'status' },
    { name: 'last_active_at' },
  ],
  more: [{ name: 'scopes' }, { name: 'user_id', as: 'code', label: 'Id' }],
  note: ({ linked }) =>
    linked === true ? undefined : 'This user has no account yet. Access applies from the first sign-in on.',
  recordActs: [
    {
      name: 'preset',
      label: 'Give access',
      scope: ACCESS,
      method: 'PUT',
      target: below(USERS, '/access', 'user_id'),
      text: 'Replaces what the user may do, with immediate effect. You can only give and take what you may do yourself.',
      fields: [
        {
          name: 'preset',
          label: 'Access',
          as: 'select',
          required: true,
          options: () => [{ value: '', text: '–' }, ...presets.map((value) => ({ value }))],
          from: ({ access }) => access,
          help: 'Seller: their own points, leads and deals, and the standings. Manager: what a seller has, all leads and deals, seeing payments and requesting payouts. Finance: what a seller has, invoices, refunds and payouts with their approval. Admin: everything.',
        },
      ],
      done: 'Saved.',
    },
    {
      name: 'scopes',
      label: 'Choose scopes',
      scope: ACCESS,
      method: 'PUT',
      target: below(USERS, '/access', 'user_id'),
      text: 'Replaces what the user may do, with immediate effect. You can only give and take what you may do yourself.',
      fields: [
        {
          name: 'scopes',
          as: 'choices',
          help: 'Everyone sees the standings and their own points, whatever you choose.',
          options: ({ scopes }) =>
            recordsScopes
              .filter((value) => value !== 'read:standings')
              .map((value) => ({ ...scopeOption(value), disabled: !opens(scopes, value) })),
        },
      ],
      done: 'Saved.',
    },
  ],
  none: 'No users yet',
};

/** Empty without read access. */
async function seasonOptions({ api, can }: View): Promise<Option[]> {
  if (!can('read:standings')) return [];
  const { rows } = await api.rows('/v1/seasons', { per_page: MAX_SEASONS });
  return rows.map(({ id, name }) => ({ value: asText(id), text: asText(name) }));
}

export const boards: Resource = {
  path: '/access/boards',
  api: BOARDS,
  scope: ACCESS,
  title: 'Boards',
  lead: 'Standings on a screen, for everyone who has the address.',
  paging: 'pages',
  columns: [
    { name: 'name' },
    { name: 'team.name' },
    { name: 'season.name' },
    { name: 'period', as: 'name' },
    { name: 'expires_at' },
    { name: 'created_at' },
  ],
  more: [{ name: 'id' }],
  acts: [
    {
      name: 'new',
      label: 'Create board',
      scope: ACCESS,
      method: 'POST',
      target: () => BOARDS,
      text: 'Shows names and points to everyone who has the address. People who are hidden in the standings are not on it.',
      fields: [
        { name: 'name', required: true },
        { name: 'team', as: 'select', options: teams, help: 'Without a team, all players.' },
        { name: 'season', as: 'select', options: seasonOptions },
        {
          name: 'period',
          as: 'select',
          options: choices(standingsPeriods),
          help: 'Only without a season. Without both, the current month.',
        },
        { name: 'expires_at', as: 'moment', help: 'Leave empty for no expiry.' },
      ],
      secrets: ['path'],
      addressOf: 'path',
      done: 'Created.',
    },
  ],
  recordActs: [
    {
      name: 'delete',
      label: 'Delete',
      scope: ACCESS,
      method: 'DELETE',
      target: below(BOARDS),
      text: 'The address stops working immediately. This cannot be undone.',
      danger: true,
      done: 'Deleted.',
      goTo: 'list',
    },
  ],
  none: 'No boards yet',
  hint: 'Create one for each screen.',
};
