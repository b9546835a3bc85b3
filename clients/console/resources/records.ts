// Leads, deals, users and teams.
import { dealPriorities, dealResults, dealStatuses } from '../../../shared/records/deals/states.ts';
import { leadStatuses } from '../../../shared/records/leads/states.ts';
import { type LeadText, leadTextNames } from '../../../shared/records/leads/texts.ts';
import { userStatuses } from '../../../shared/records/users/states.ts';
import { asJson, asRows, asText, type Json } from '../api/json.ts';
import type { View } from '../view.ts';
import { pairItems, pairsOf } from './items.ts';
import { choices, stages, teams, users } from './options.ts';
import {
  type Act,
  below,
  type Column,
  type Field,
  type Option,
  type Resource,
  type Section,
} from './resource.ts';

const MAX_MEMBERS = 100;

const activityColumns: Column[] = [
  { name: 'created_at' },
  { name: 'type', as: 'name' },
  { name: 'title' },
  { name: 'description' },
  { name: 'owner_id' },
];

const history = (kind: 'leads' | 'deals'): Section => ({
  title: 'Activities',
  api: below(`/v1/${kind}`, '/activities?per_page=25'),
  columns: activityColumns,
  none: 'No activities yet',
});

/** Assigning has its own form, because it is the most frequent change. */
const assign = (api: string, scope: string): Act => ({
  name: 'assign',
  label: 'Assign',
  scope,
  method: 'PATCH',
  target: below(api),
  fields: [{ name: 'owner_id', as: 'select', options: users }],
  done: 'Saved.',
});

const tags: Field = { name: 'tags', as: 'lines', help: 'One tag per line.' };
const customFields: Field = {
  name: 'custom_fields',
  as: 'items',
  items: pairItems,
  from: ({ custom_fields: fields }) => pairsOf(fields),
};
const externalId: Field = { name: 'external_id', help: 'The id of the record in your own system.' };

const leadText = (name: LeadText) => ({ name, ...(name === 'position' && { label: 'Job title' as const }) });

const leadFields: Field[] = [
  { name: 'name', required: true },
  { name: 'email', as: 'email', required: true },
  ...leadTextNames.map(leadText),
  { name: 'owner_id', as: 'select', options: users },
  { name: 'team_id', as: 'select', options: teams },
  tags,
  externalId,
  customFields,
];

const isOpenLead = ({ status }: Json) => status !== 'converted';

export const leads: Resource = {
  path: '/records/leads',
  api: '/v1/leads',
  sorts: { name: 'name', email: 'email', status: 'status', created_at: 'created_at' },
  scope: 'read:leads',
  title: 'Leads',
  lead: 'People and companies who may become customers.',
  paging: 'pages',
  search: true,
  filters: [{ name: 'status', label: 'Status', values: leadStatuses }],
  dates: { from: 'created_after', to: 'created_before' },
  columns: [
    { name: 'name' },
    { name: 'email' },
    { name: 'company' },
    { name: 'status' },
    { name: 'source' },
    { name: 'owner_id' },
    { name: 'created_at' },
  ],
  more: [
    ...leadTextNames.filter((name) => name !== 'company' && name !== 'source').map(leadText),
    { name: 'team_id' },
    { name: 'tags' },
    { name: 'external_id' },
    { name: 'id' },
  ],
  acts: [
    {
      name: 'new',
      label: 'Create lead',
      scope: 'write:leads',
      method: 'POST',
      target: () => '/v1/leads',
      fields: leadFields,
      done: 'Created.',
    },
  ],
  recordActs: [
    {
      name: 'edit',
      label: 'Edit',
      scope: 'write:leads',
      method: 'PATCH',
      target: below('/v1/leads'),
      fields: [
        ...leadFields,
        {
          name: 'status',
          as: 'select',
          required: true,
          // Only the action that creates the deal sets `converted`.
          options: choices(leadStatuses.filter((status) => status !== 'converted')),
        },
      ],
      when: isOpenLead,
      done: 'Saved.',
    },
    assign('/v1/leads', 'write:leads'),
    {
      name: 'convert',
      label: 'Convert to a deal',
      scope: 'write:leads',
      method: 'POST',
      target: below('/v1/leads', '/convert'),
      text: 'Creates a deal and closes the lead. This cannot be undone.',
      fields: [
        { name: 'deal_name' },
        { name: 'deal_value', as: 'decimal' },
        { name: 'stage_id', as: 'select', options: stages },
        { name: 'expected_close_date', as: 'date' },
      ],
      when: isOpenLead,
      done: 'The lead was converted.',
    },
    {
      name: 'merge',
      label: 'Merge',
      scope: 'write:leads',
      method: 'POST',
      target: below('/v1/leads', '/merge'),
      text: 'Activities and deals of the other lead move to this one, and the other lead is deleted. This cannot be undone.',
      danger: true,
      fields: [{ name: 'loser_id', required: true, help: 'The id of the other lead, shown on its page.' }],
      done: 'The leads were merged.',
    },
  ],
  sections: [history('leads')],
  none: 'No leads yet',
  hint: 'Create one here, or let your CRM send them.',
};

const dealFields: Field[] = [
  { name: 'name', required: true },
  { name: 'value', as: 'decimal', required: true },
  { name: 'stage_id', as: 'select', options: stages, from: ({ stage }) => asJson(stage).id },
  { name: 'company' },
  { name: 'contact_name' },
  { name: 'contact_email', as: 'email' },
  { name: 'owner_id', as: 'select', options: users },
  { name: 'expected_close_date', as: 'date' },
  { name: 'priority', as: 'select', options: choices(dealPriorities) },
  tags,
  externalId,
  customFields,
];

const isOpenDeal = ({ status }: Json) => status === 'open';

export const deals: Resource = {
  path: '/records/deals',
  api: '/v1/deals',
  sorts: { name: 'name', value: 'value', created_at: 'created_at' },
  scope: 'read:deals',
  title: 'Deals',
  lead: 'Sales in progress, won and lost.',
  paging: 'pages',
  search: true,
  filters: [
    { name: 'status', label: 'Status', values: dealStatuses },
    { name: 'stage_id', label: 'Stage', options: stages },
  ],
  dates: { from: 'created_after', to: 'created_before' },
  columns: [
    { name: 'name' },
    { name: 'company' },
    { name: 'value', as: 'value' },
    { name: 'stage.name' },
    { name: 'status' },
    { name: 'owner_id' },
    { name: 'created_at' },
  ],
  more: [
    { name: 'contact_name' },
    { name: 'contact_email' },
    { name: 'priority' },
    { name: 'expected_close_date' },
    { name: 'loss_reason' },
    { name: 'tags' },
    { name: 'lead_id', href: ({ lead_id: id }) => (id ? `/records/leads/${asText(id)}` : undefined) },
    { name: 'currency' },
    { name: 'external_id' },
    { name: 'id' },
  ],
  acts: [
    {
      name: 'new',
      label: 'Create deal',
      scope: 'write:deals',
      method: 'POST',
      target: () => '/v1/deals',
      fields: dealFields,
      done: 'Created.',
    },
  ],
  recordActs: [
    {
      name: 'edit',
      label: 'Edit',
      scope: 'write:deals',
      method: 'PATCH',
      target: below('/v1/deals'),
      fields: dealFields.filter(({ name }) => name !== 'stage_id'),
      when: isOpenDeal,
      done: 'Saved.',
    },
    {
      name: 'move',
      label: 'Move to a stage',
      scope: 'write:deals',
      method: 'POST',
      target: below('/v1/deals', '/move'),
      fields: [
        {
          name: 'stage_id',
          as: 'select',
          required: true,
          options: stages,
          from: ({ stage }) => asJson(stage).id,
        },
        { name: 'note', as: 'textarea' },
      ],
      when: isOpenDeal,
      done: 'The deal was moved.',
    },
    assign('/v1/deals', 'write:deals'),
    {
      name: 'close',
      label: 'Close',
      scope: 'write:deals',
      method: 'POST',
      target: below('/v1/deals', '/close'),
      text: 'A closed deal cannot be reopened.',
      fields: [
        { name: 'result', as: 'select', required: true, options: choices(dealResults) },
        { name: 'final_value', as: 'decimal', from: ({ value }) => value },
        { name: 'loss_reason', help: 'Only for lost deals.' },
        { name: 'note', as: 'textarea' },
      ],
      when: isOpenDeal,
      done: 'The deal was closed.',
    },
  ],
  sections: [history('deals')],
  none: 'No deals yet',
  hint: 'Convert a lead, or create a deal here.',
};

/** What earned the points: a deal or lead by name, an activity by its id in the CRM. */
function subjectName({ subject }: Json): string {
  const { name, id } = asJson(subject);
  return asText(name) || asText(id);
}

function subjectPath({ subject }: Json): string | undefined {
  const { resource, id } = asJson(subject);
  if (resource === 'activity')
    return `/gamification/corrections?${new URLSearchParams({ external_id: asText(id) })}`;
  return resource === 'deal' || resource === 'lead' ? `/records/${resource}s/${asText(id)}` : undefined;
}

const roles = choices(['admin', 'manager', 'sales_rep']);

export const userRecords: Resource = {
  path: '/records/users',
  api: '/v1/users',
  sorts: { name: 'name', email: 'email', total_points: 'total_points' },
  scope: 'read:users',
  title: 'Users',
  lead: 'Members of the workspace.',
  paging: 'pages',
  search: true,
  filters: [
    { name: 'status', label: 'Status', values: userStatuses },
    { name: 'role', label: 'Role', values: ['admin', 'manager', 'sales_rep', 'viewer'] },
  ],
  dates: { from: 'created_after', to: 'created_before' },
  columns: [
    { name: 'name' },
    { name: 'email' },
    { name: 'role' },
    { name: 'team.name' },
    { name: 'status' },
    { name: 'total_points', as: 'number' },
    { name: 'last_active_at' },
  ],
  more: [{ name: 'ranking_tier' }, { name: 'phone' }, { name: 'created_at' }],
  links: [
    {
      label: 'Adjust points',
      scope: 'manage:gamification',
      href: ({ email }) =>
        `/gamification/corrections/adjust?${new URLSearchParams({ email: asText(email) })}`,
    },
  ],
  acts: [
    {
      name: 'new',
      label: 'Invite user',
      scope: 'write:users',
      method: 'POST',
      target: () => '/v1/users',
      text: 'The person receives an email with a link.',
      fields: [
        { name: 'name', required: true },
        { name: 'email', as: 'email', required: true },
        { name: 'role', as: 'select', required: true, options: roles, value: 'sales_rep' },
        { name: 'team_id', as: 'select', options: teams },
        { name: 'phone' },
        externalId,
      ],
      done: 'The user was invited.',
    },
  ],
  recordActs: [
    {
      name: 'edit',
      label: 'Edit',
      scope: 'write:users',
      method: 'PATCH',
      target: below('/v1/users'),
      fields: [
        { name: 'name', required: true },
        { name: 'role', as: 'select', required: true, options: roles },
        { name: 'team_id', as: 'select', options: teams, from: ({ team }) => asJson(team).id },
        { name: 'phone' },
        externalId,
      ],
      done: 'Saved.',
    },
    {
      name: 'deactivate',
      label: 'Deactivate',
      scope: 'write:users',
      method: 'DELETE',
      target: below('/v1/users'),
      text: 'The user can no longer sign in. Leads and deals stay with the user, and points stay in the standings.',
      danger: true,
      when: ({ status }) => status !== 'deactivated',
      done: 'The user was deactivated.',
    },
  ],
  sections: [
    {
      title: 'Points',
      api: below('/v1/users', '/points?per_page=25'),
      columns: [
        { name: 'created_at' },
        { name: 'points', as: 'number' },
        { name: 'reason', as: 'name' },
        { name: 'mission_name', label: 'Mission' },
        { name: 'subject', label: 'Earned with', as: 'text', text: subjectName, href: subjectPath },
        { name: 'note' },
      ],
      none: 'No points yet',
    },
    {
      title: 'Badges',
      api: below('/v1/users', '/badges?per_page=25'),
      columns: [{ name: 'name' }, { name: 'metric' }, { name: 'earned_at' }],
      none: 'No badges yet',
    },
  ],
  none: 'No users yet',
  hint: 'Invite the first one.',
};

const teamFields: Field[] = [
  { name: 'name', required: true },
  { name: 'leader_id', as: 'select', options: users },
  { name: 'parent_team_id', as: 'select', options: teams },
];

async function teamMembers({ api, param }: View): Promise<Option[]> {
  const { rows } = await api.rows(`/v1/teams/${encodeURIComponent(param('id'))}/members`, {
    per_page: MAX_MEMBERS,
  });
  return rows.map(({ id, name }) => ({ value: asText(id), text: asText(name) }));
}

export const teamRecords: Resource = {
  path: '/records/teams',
  api: '/v1/teams',
  sorts: { name: 'name', created_at: 'created_at' },
  scope: 'read:teams',
  title: 'Teams',
  lead: 'Groups of users, each with a leader.',
  paging: 'pages',
  dates: { from: 'created_after', to: 'created_before' },
  columns: [
    { name: 'name' },
    { name: 'leader_id' },
    { name: 'member_count', as: 'number' },
    { name: 'parent_team_id' },
    { name: 'created_at' },
  ],
  acts: [
    {
      name: 'new',
      label: 'Create team',
      scope: 'write:teams',
      method: 'POST',
      target: () => '/v1/teams',
      fields: teamFields,
      done: 'Created.',
    },
  ],
  recordActs: [
    {
      name: 'edit',
      label: 'Edit',
      scope: 'write:teams',
      method: 'PATCH',
      target: below('/v1/teams'),
      fields: teamFields,
      done: 'Saved.',
    },
    {
      name: 'add-member',
      label: 'Add member',
      scope: 'write:teams',
      method: 'POST',
      target: below('/v1/teams', '/members'),
      fields: [{ name: 'user_id', as: 'select', required: true, options: users }],
      done: 'Saved.',
    },
    {
      name: 'remove-member',
      label: 'Remove member',
      scope: 'write:teams',
      method: 'DELETE',
      target: (record, { user_id: user }) =>
        below('/v1/teams', `/members/${encodeURIComponent(asText(user))}`)(record),
      text: 'The user stays in the workspace, without a team.',
      fields: [{ name: 'user_id', as: 'select', required: true, options: teamMembers }],
      body: () => undefined,
      when: ({ members }) => asRows(members).length > 0,
      done: 'Saved.',
    },
  ],
  sections: [
    {
      title: 'Members',
      api: () => undefined,
      rows: function members(record) {
        return asRows(record.members);
      },
      columns: [
        { name: 'name', href: ({ id }) => `/records/users/${asText(id)}` },
        { name: 'email' },
        { name: 'role' },
        { name: 'total_points', as: 'number' },
      ],
      none: 'No members yet',
    },
  ],
  none: 'No teams yet',
  hint: 'Create the first one.',
};
