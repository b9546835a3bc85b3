// Variant B: the Portuguese-language naming.

import { activityTypes, serializeActivity } from '../activities/schema.ts';
import { serializeOpportunity } from '../deals/schema.ts';
import type { LeadRecord } from '../leads/queries.ts';
import { serializeLead } from '../leads/schema.ts';
import { type Naming, rename, unchangedValues, valueFor } from '../naming.ts';
import { serializeStage } from '../stages/reads.ts';
import { serializeTeam } from '../teams/schema.ts';
import type { UserRecord } from '../users/queries.ts';
import { serializeUser } from '../users/schema.ts';
import { commonNamings } from './common.ts';
import { assigneeToOwner, closing, opportunity, ownerToAssignee } from './opportunity.ts';
import type { Variant } from './variant.ts';

const lead: Naming<LeadRecord> = {
  serialize: (record, clientId) => ({
    ...rename(serializeLead(record, clientId), ownerToAssignee),
    status: valueFor(lead, 'status', record.status),
  }),
  names: assigneeToOwner,
  unknown: ['score'],
  values: {
    status: { ...unchangedValues('new', 'contacted', 'qualified', 'converted'), discarded: ['unqualified'] },
  },
};

const user: Naming<UserRecord> = {
  serialize(record, clientId) {
    const { team, ...members } = serializeUser(record, clientId);
    return {
      ...members,
      role: valueFor(user, 'role', record.role),
      status: valueFor(user, 'status', record.status),
      team_id: team?.id ?? null,
      team_name: team?.name ?? null,
    };
  },
  names: {},
  shownAs: { team: ['team_id', 'team_name'] },
  paths: { team_id: 'team.id', team_name: 'team.name' },
  values: {
    role: { ...unchangedValues('admin', 'manager'), seller: ['sales_rep'] },
    status: { active: ['active'], inactive: ['deactivated', 'invited'] },
  },
};

const eventTypes = {};

export const b: Variant = {
  id: 'b',
  defaultPerPage: 20,
  listsInMeta: false,
  eventTypes,
  namings: {
    ...commonNamings({ user, eventTypes }),
    lead,
    deal: {
      ...opportunity,
      serialize: serializeOpportunity,
      unknown: ['currency', 'products'],
      required: ['stage'],
    },
    closing: { ...closing, serialize: serializeOpportunity },
    stage: {
      serialize: (record) =>
        rename(serializeStage(record), { position: 'order', probability: 'default_probability' }),
      names: {},
      values: {},
    },
    user,
    team: {
      serialize: (record) => ({
        ...rename(serializeTeam(record), { leader_id: 'manager_id', member_count: 'members_count' }),
        manager_name: record.leader_name,
      }),
      names: { manager_id: 'leader_id' },
      values: {},
    },
    activity: {
      serialize: (record) => rename(serializeActivity(record), ownerToAssignee),
      names: assigneeToOwner,
      values: { type: unchangedValues(...activityTypes) },
    },
  },
};
