// Missions, rules, badges, challenges, seasons, tiers, and corrections of points.
import { metrics } from '../../../shared/records/gamification/states.ts';
import { asText, type Json } from '../api/json.ts';
import { eventWords } from '../kit/api-words.tsx';
import { managed } from './acts.ts';
import { choices, eventWordOptions, stages } from './options.ts';
import { below, type Field, type Resource } from './resource.ts';

const READ = 'read:settings';
const MANAGE = 'manage:gamification';

const name: Field = { name: 'name', required: true };
const metric: Field = { name: 'metric', as: 'select', required: true, options: choices(metrics) };
const starts: Field = { name: 'starts_at', as: 'moment', required: true };
const ends: Field = {
  name: 'ends_at',
  as: 'moment',
  required: true,
  help: 'Not included. If 31 March is the last day, enter 1 April at 00:00.',
};

export const missions: Resource = {
  path: '/gamification/missions',
  api: '/v1/admin/missions',
  scope: READ,
  sorts: { name: 'name' },
  title: 'Missions',
  lead: 'Tasks that earn points. Activity codes decide which activities count.',
  paging: 'pages',
  search: true,
  columns: [
    { name: 'name' },
    { name: 'points', as: 'number' },
    { name: 'codes' },
    { name: 'completions', as: 'number' },
  ],
  ...managed({
    api: '/v1/admin/missions',
    scope: MANAGE,
    create: 'Create mission',
    edit: 'Edit',
    remove: 'Delete',
    removal:
      'The mission is deleted. A mission that players have completed cannot be deleted. Remove its codes instead.',
    fields: [
      name,
      { name: 'points', as: 'integer', required: true, help: 'Points for each completion, 0 to 1,000,000.' },
      {
        name: 'codes',
        as: 'lines',
        help: 'The codes of three digits that your CRM sends with activities, 001 to 999, one per line. A code that counts for another mission moves here, with its points.',
      },
    ],
  }),
  none: 'No missions yet',
  hint: 'Create the first mission: a name, its points, and the activity codes that your CRM sends.',
};

export const codes: Resource = {
  path: '/gamification/codes',
  api: '/v1/admin/activity-codes',
  scope: READ,
  title: 'Activity codes',
  lead: 'The codes of activities, and the missions to which they are mapped.',
  id: 'code',
  named: 'code',
  paging: 'pages',
  filters: [{ name: 'mapped', label: 'Counts for a mission', values: ['true', 'false'] }],
  columns: [
    { name: 'code', as: 'text' },
    { name: 'mission.name' },
    { name: 'activities', as: 'number' },
    { name: 'last_received_at' },
  ],
  rowActs: [
    {
      label: 'Map to a mission',
      scope: MANAGE,
      href: ({ code }) => `/gamification/codes/${asText(code)}/map`,
      when: ({ mission }) => mission === null,
    },
  ],
  recordActs: [
    {
      name: 'map',
      label: 'Map to a mission',
      scope: MANAGE,
      method: 'PUT',
      target: below('/v1/admin/activity-codes', '', 'code'),
      text: 'Activities recorded earlier count too.',
      fields: [
        {
          name: 'mission',
          as: 'select',
          required: true,
          from: ({ mission }) => (mission as { id?: string } | null)?.id,
          options: async ({ api }) =>
            (await api.rows('/v1/admin/missions', { per_page: 100, sort: 'name' })).rows.map((one) => ({
              value: String(one.id),
              text: String(one.name),
            })),
        },
      ],
      done: 'Saved.',
    },
    {
      name: 'unmap',
      label: 'Unmap',
      scope: MANAGE,
      method: 'DELETE',
      target: below('/v1/admin/activity-codes', '', 'code'),
      when: ({ mission }) => mission !== null,
      text: 'The code no longer counts for a mission, and the points earned with it are reversed.',
      danger: true,
      done: 'Saved.',
      goTo: 'list',
    },
  ],
  none: 'No codes yet',
  hint: 'Codes appear here when a CRM sends activities or a mission names them.',
};

const rulePoints: Field = { name: 'points', as: 'integer', required: true };
const ruleMaxPerDay: Field = {
  name: 'max_per_day',
  as: 'integer',
  help: 'How many times per day a player can earn these points. Leave empty for no limit.',
};

export const rules: Resource = {
  path: '/gamification/rules',
  api: '/v1/admin/point-rules',
  scope: READ,
  title: 'Point rules',
  lead: 'Points for events of deals, leads and activities.',
  named: ({ event }) => eventWords(asText(event)),
  paging: 'pages',
  columns: [
    { name: 'event', text: ({ event }: Json) => eventWords(asText(event)) },
    { name: 'stage.name' },
    { name: 'points', as: 'number' },
    { name: 'max_per_day', as: 'number' },
  ],
  acts: [
    {
      name: 'new',
      label: 'Set points for an event',
      scope: MANAGE,
      method: 'PUT',
      target: () => '/v1/admin/point-rules',
      text: 'If the event already has a rule, this changes it. Points for past events stay.',
      fields: [
        {
          name: 'event',
          as: 'select',
          required: true,
          options: eventWordOptions([
            'deal.won',
            'deal.stage_changed',
            'lead.qualified',
            'activity.completed',
          ]),
        },
        {
          name: 'stage',
          as: 'select',
          options: stages,
          help: 'Only for a changed stage. Empty means any stage.',
        },
        rulePoints,
        ruleMaxPerDay,
      ],
      done: 'Saved.',
    },
  ],
  recordActs: [
    {
      name: 'edit',
      label: 'Edit',
      scope: MANAGE,
      method: 'PUT',
      target: () => '/v1/admin/point-rules',
      text: 'Points of past events stay.',
      fields: [
        { name: 'event', as: 'hidden' },
        { name: 'stage', as: 'hidden', from: ({ stage }) => (stage as { id?: string } | null)?.id },
        rulePoints,
        ruleMaxPerDay,
      ],
      done: 'Saved.',
    },
    {
      name: 'delete',
      label: 'Delete',
      scope: MANAGE,
      method: 'DELETE',
      target: below('/v1/admin/point-rules'),
      text: 'The event no longer earns points. Points that the rule has already awarded stay.',
      danger: true,
      done: 'Deleted.',
      goTo: 'list',
    },
  ],
  none: 'No rules yet',
  hint: 'Set points for an event, such as a won deal.',
};

export const badges: Resource = {
  path: '/gamification/badges',
  api: '/v1/admin/badges',
  scope: READ,
  sorts: { name: 'name' },
  title: 'Badges',
  lead: 'Players earn a badge when a metric reaches its threshold.',
  paging: 'pages',
  search: true,
  columns: [
    { name: 'name' },
    { name: 'metric' },
    { name: 'threshold', as: 'decimal' },
    { name: 'earned_by', as: 'number' },
  ],
  ...managed({
    api: '/v1/admin/badges',
    scope: MANAGE,
    create: 'Create badge',
    edit: 'Edit',
    remove: 'Delete',
    removal: 'The badge is deleted. This cannot be undone.',
    fields: [
      name,
      metric,
      {
        name: 'threshold',
        as: 'decimal',
        required: true,
        help: 'Players keep badges that they have earned.',
      },
    ],
  }),
  none: 'No badges yet',
  hint: 'Create one for a number of points, won deals and so on.',
};

export const challenges: Resource = {
  path: '/gamification/challenges',
  api: '/v1/admin/challenges',
  scope: READ,
  sorts: { name: 'name' },
  title: 'Challenges',
  lead: 'Targets to reach within a period, with a reward.',
  paging: 'pages',
  search: true,
  columns: [
    { name: 'name' },
    { name: 'metric' },
    { name: 'target', as: 'decimal' },
    { name: 'starts_at' },
    { name: 'ends_at' },
    { name: 'reward_points', as: 'number' },
    { name: 'completed_by', as: 'number' },
  ],
  ...managed({
    api: '/v1/admin/challenges',
    scope: MANAGE,
    create: 'Create challenge',
    edit: 'Edit',
    remove: 'Delete',
    removal: 'The challenge is deleted. This cannot be undone.',
    fields: [
      name,
      metric,
      { name: 'target', as: 'decimal', required: true },
      starts,
      ends,
      { name: 'reward_points', as: 'integer', value: '0' },
    ],
  }),
  none: 'No challenges yet',
  hint: 'Create one with a metric, a target and a period.',
};

export const seasons: Resource = {
  path: '/gamification/seasons',
  api: '/v1/admin/seasons',
  scope: READ,
  sorts: { name: 'name' },
  title: 'Seasons',
  lead: 'Periods with standings of their own.',
  paging: 'pages',
  search: true,
  columns: [{ name: 'name' }, { name: 'starts_at' }, { name: 'ends_at' }],
  ...managed({
    api: '/v1/admin/seasons',
    scope: MANAGE,
    create: 'Create season',
    edit: 'Edit',
    remove: 'Delete',
    removal: 'The season is deleted. Points stay, because they belong to players and not to seasons.',
    fields: [name, starts, ends],
  }),
  none: 'No seasons yet',
  hint: 'Create one, such as a quarter.',
};

export const tiers: Resource = {
  path: '/gamification/tiers',
  api: '/v1/admin/tiers',
  scope: READ,
  title: 'Tiers',
  lead: 'Levels that players reach with points.',
  paging: 'pages',
  columns: [{ name: 'name' }, { name: 'min_points', as: 'number' }],
  compare: (one, other) => Number(one.min_points) - Number(other.min_points),
  ...managed({
    api: '/v1/admin/tiers',
    scope: MANAGE,
    create: 'Create tier',
    edit: 'Edit',
    remove: 'Delete',
    removal: 'The tier is deleted. Its players move to the tier below.',
    fields: [name, { name: 'min_points', as: 'integer', required: true }],
  }),
  none: 'No tiers yet',
  hint: 'Create one, such as Gold from 1,000 points.',
};

/** Suggests the first 100 players. */
const player: Field = {
  name: 'email',
  label: "Player's email",
  as: 'email',
  required: true,
  options: async ({ api }) =>
    (await api.rows('/v1/admin/players', { per_page: 100, sort: 'name' })).rows.map((one) => ({
      value: asText(one.email),
      text: asText(one.name),
    })),
};

/** Activities and their corrections. */
export const corrections: Resource = {
  path: '/gamification/corrections',
  api: '/v1/admin/activities',
  scope: READ,
  title: 'Corrections',
  lead: 'Adjust points, void activities that should not count, and hide players from the standings.',
  named: 'external_id',
  paging: 'pages',
  flat: true,
  listTitle: 'Activities',
  filters: [
    { name: 'voided', label: 'Voided', values: ['true', 'false'] },
    { name: 'email', label: 'Email' },
    { name: 'code', label: 'Code' },
    { name: 'external_id', label: 'External id' },
  ],
  columns: [
    { name: 'external_id', as: 'text' },
    { name: 'email' },
    { name: 'code', as: 'text' },
    { name: 'created_at', label: 'Reported' },
    { name: 'voided_at' },
    { name: 'void_reason' },
  ],
  acts: [
    {
      name: 'adjust',
      label: 'Adjust points',
      scope: MANAGE,
      method: 'POST',
      target: () => '/v1/admin/points/adjustments',
      text: 'Adds a point entry for a player. Entries cannot be removed, only offset by another entry.',
      fields: [
        player,
        { name: 'points', as: 'integer', required: true, help: 'A negative number deducts points.' },
        { name: 'reason', as: 'textarea', required: true },
      ],
      done: 'Saved.',
    },
    {
      name: 'void',
      label: 'Void an activity',
      scope: MANAGE,
      method: 'POST',
      target: () => '/v1/admin/activities/void',
      about: 'external_id',
      text: 'The activity no longer counts and its points are reversed. This cannot be undone: if the activity is sent again, it stays void.',
      danger: true,
      fields: [
        {
          name: 'external_id',
          required: true,
          help: 'The id of the activity in your CRM, as the list shows it.',
        },
        { name: 'reason', as: 'textarea', required: true },
      ],
      done: 'Saved.',
    },
    {
      name: 'opt-out',
      label: 'Hide a player',
      scope: MANAGE,
      method: 'POST',
      target: () => '/v1/admin/players/opt-out',
      text: 'A hidden player keeps earning points but is not in the standings. Leave the box empty to show the player again.',
      fields: [player, { name: 'opted_out', as: 'checkbox', value: 'true' }],
      done: 'Saved.',
    },
  ],
  rowActs: [
    {
      label: 'Void',
      scope: MANAGE,
      href: ({ external_id: id }) =>
        `/gamification/corrections/void?${new URLSearchParams({ external_id: asText(id) })}`,
      when: ({ voided_at: at }) => at === null,
    },
  ],
  none: 'No activities yet',
  hint: 'Activities appear here when a CRM sends them.',
};
