// Variant C: the Spanish-language naming.

import { activityTypes, serializeActivity } from '../activities/schema.ts';
import type { DealRecord } from '../deals/queries.ts';
import { serializeOpportunity } from '../deals/schema.ts';
import { serializeLead } from '../leads/schema.ts';
import { leadStatuses } from '../leads/states.ts';
import { canonical, type Naming, rename, unchangedValues, valueFor } from '../naming.ts';
import { serializeStage } from '../stages/reads.ts';
import { serializeTeam } from '../teams/schema.ts';
import type { UserRecord } from '../users/queries.ts';
import { serializeUser } from '../users/schema.ts';
import { commonNamings } from './common.ts';
import { assigneeToOwner, closing, opportunity, ownerToAssignee } from './opportunity.ts';
import type { Variant } from './variant.ts';

const eventTypes = { 'lead.status_changed': 'lead.stage_changed' };

const user: Naming<UserRecord> = {
  serialize: (record, clientId) => ({
    ...serializeUser(record, clientId),
    role: valueFor(user, 'role', record.role),
    status: valueFor(user, 'status', record.status),
  }),
  names: {},
  values: {
    role: { ...unchangedValues('admin', 'manager', 'viewer'), seller: ['sales_rep'] },
    status: { active: ['active'], inactive: ['deactivated'], pending: ['invited'] },
  },
};

const serializeDeal = (record: DealRecord, clientId: string | null) => ({
  ...serializeOpportunity(record, clientId),
  currency: record.currency,
  products: record.products,
});

export const c: Variant = {
  id: 'c',
  defaultPerPage: 20,
  listsInMeta: false,
  eventTypes,
  namings: {
    ...commonNamings({ user, eventTypes }),
    lead: {
      serialize: (record, clientId) => ({
        ...rename(serializeLead(record, clientId), { ...ownerToAssignee, status: 'stage' }),
        score: record.score,
      }),
      names: { ...assigneeToOwner, stage: 'status' },
      values: { status: unchangedValues(...leadStatuses) },
    },
    deal: { ...opportunity, serialize: serializeDeal },
    closing: { ...closing, serialize: serializeDeal },
    stage: {
      serialize: (record) => rename(serializeStage(record), { position: 'order' }),
      names: {},
      values: {},
    },
    user,
    team: canonical(serializeTeam),
    activity: {
      serialize: (record) =>
        rename(serializeActivity(record), { ...ownerToAssignee, deal_id: 'opportunity_id' }),
      names: { ...assigneeToOwner, opportunity_id: 'deal_id' },
      values: { type: unchangedValues(...activityTypes) },
    },
  },
};
