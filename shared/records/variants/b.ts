// Variant B: the Portuguese-language naming.
import { activity, dealWords, webhook, words } from './a.ts';
import { type Naming, type Row, wordFor } from './naming.ts';
import * as show from './show.ts';
import type { Variant } from './variant.ts';

/** The owner of variants B and C. */
export const toOwner = { owner_id: 'assigned_to' };
export const fromOwner = { assigned_to: 'owner_id' };

const lead: Naming = {
  show: (record) => ({
    ...show.rename(show.lead(record), toOwner),
    status: wordFor(lead, 'status', record.status),
  }),
  names: fromOwner,
  unknown: ['score'],
  values: {
    status: {
      ...words('new', 'contacted', 'qualified', 'converted'),
      discarded: ['unqualified'],
    },
  },
};

/** A stage as opportunities show it: its name. */
const stageName = (stage: unknown): unknown => (stage as Row | null)?.name ?? null;

/** A deal as an opportunity. */
export function showOpportunity(record: Row): Row {
  const { id, name, value, contact_name, contact_email, company, ...others } = show.deal(record);
  const { stage: _stage, previous_stage: _previous, ...rest } = others;
  const stage = record.stage as Row | null;
  return {
    id,
    name,
    value,
    stage: stageName(stage),
    stage_id: stage?.id ?? null,
    probability: stage?.probability ?? null,
    contact: { name: contact_name, email: contact_email, company },
    ...show.rename(rest, toOwner),
    ...('previous_stage' in record && { previous_stage: stageName(record.previous_stage) }),
  };
}

export const opportunity = {
  names: fromOwner,
  aliases: { pipeline_stage: 'stage' },
  values: dealWords,
  spread: {
    member: 'contact',
    parts: { name: 'contact_name', email: 'contact_email', company: 'company' },
  },
} satisfies Partial<Naming>;

/** What closes an opportunity. */
export const closing = {
  names: { status: 'result' },
  aliases: { result: 'result', closed_value: 'final_value', close_notes: 'note' },
  values: { result: words('won', 'lost') },
} satisfies Partial<Naming>;

const user: Naming = {
  show(record) {
    const { team: _team, ...shown } = show.user(record);
    const team = record.team as Row | null;
    return {
      ...shown,
      role: wordFor(user, 'role', record.role),
      status: wordFor(user, 'status', record.status),
      team_id: team?.id ?? null,
      team_name: team?.name ?? null,
    };
  },
  names: {},
  values: {
    role: { ...words('admin', 'manager'), seller: ['sales_rep'] },
    status: { active: ['active'], inactive: ['deactivated', 'invited'] },
  },
};

const team: Naming = {
  show: (record) => ({
    ...show.rename(show.team(record), { leader_id: 'manager_id', member_count: 'members_count' }),
    manager_name: record.leader_name ?? null,
  }),
  names: { manager_id: 'leader_id' },
  values: {},
};

export const b: Variant = {
  id: 'b',
  defaultPerPage: 20,
  listsInMeta: false,
  eventTypes: {},
  namings: {
    lead,
    deal: { ...opportunity, show: showOpportunity, unknown: ['currency', 'products'], required: ['stage'] },
    closing: { ...closing, show: showOpportunity },
    stage: {
      show: (record) =>
        show.rename(show.stage(record), { position: 'order', probability: 'default_probability' }),
      names: {},
      values: {},
    },
    user,
    team,
    activity: {
      ...activity,
      show: (record) => show.rename(show.activity(record), toOwner),
      names: fromOwner,
    },
    invitation: {
      show: (record) => ({ ...show.invitation(record), role: wordFor(user, 'role', record.role) }),
      names: {},
      values: { role: user.values.role ?? {}, status: words('pending', 'accepted', 'revoked', 'expired') },
    },
    webhook,
  },
};
