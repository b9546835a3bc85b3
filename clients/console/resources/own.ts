// What people who sign in see and change of themselves.
import { asText } from '../api/json.ts';
import { deals, leads } from './records.ts';
import type { Column, Resource } from './resource.ts';

const SELF = 'self';

/** The columns of a list of the workspace, without those that are the same in each row. */
const ownColumns = (columns: readonly Column[] = []): Column[] =>
  columns
    .filter(({ name }) => !['owner_id', 'team_id', 'external_id'].includes(name))
    .map((column) =>
      column.name === 'lead_id'
        ? { ...column, href: ({ lead_id: id }) => (id ? `/me/leads/${asText(id)}` : undefined) }
        : column,
    );

/** People change their leads and deals where the workspace's are, if their scopes permit it. */
const readOnly = { acts: [], recordActs: [], sections: [], links: [] };

const ownLeads: Resource = {
  ...leads,
  ...readOnly,
  path: '/me/leads',
  api: '/v1/me/leads',
  scope: SELF,
  title: 'My leads',
  lead: 'Leads that you own.',
  columns: ownColumns(leads.columns),
  more: ownColumns(leads.more),
  omitted: [...(leads.omitted ?? []), 'owner_id', 'team_id', 'external_id'],
  hint: 'Leads appear here once you own them.',
};

const ownDeals: Resource = {
  ...deals,
  ...readOnly,
  path: '/me/deals',
  api: '/v1/me/deals',
  scope: SELF,
  title: 'My deals',
  lead: 'Deals that you own.',
  // Only some people may read the stages.
  filters: (deals.filters ?? []).filter(({ options }) => options === undefined),
  columns: ownColumns(deals.columns),
  more: ownColumns(deals.more),
  omitted: [...(deals.omitted ?? []), 'owner_id', 'team_id', 'external_id'],
  hint: 'Deals appear here once you own them.',
};

export const profile: Resource = {
  path: '/me/profile',
  api: '/v1/me',
  scope: SELF,
  title: 'Profile',
  lead: 'What others see of you, and what you can change.',
  paging: 'all',
  flat: true,
  columns: [],
  acts: [
    {
      name: 'edit',
      label: 'Change profile',
      scope: SELF,
      method: 'PATCH',
      target: () => '/v1/me',
      current: '/v1/me',
      fields: [
        { name: 'phone' },
        { name: 'avatar_url', as: 'url', help: 'The https address of a picture.' },
        {
          name: 'standings_opt_out',
          as: 'checkbox',
          label: 'Hide me in the standings',
          help: 'You keep earning points. Others do not see your name, points and rank.',
        },
      ],
      done: 'Saved.',
    },
  ],
  none: 'Nothing here',
};

export const ownResources: readonly Resource[] = [ownLeads, ownDeals, profile];
