// Variant A: the canonical names.

import { activityTypes, serializeActivity } from '../activities/schema.ts';
import { serializeDeal } from '../deals/schema.ts';
import { dealPriorities, dealResults, dealStatuses } from '../deals/states.ts';
import { serializeLead } from '../leads/schema.ts';
import { leadStatuses } from '../leads/states.ts';
import { canonical, unchangedValues } from '../naming.ts';
import { commonRoles } from '../roles.ts';
import { serializeStage } from '../stages/reads.ts';
import { serializeTeam } from '../teams/schema.ts';
import type { UserRecord } from '../users/queries.ts';
import { serializeUser } from '../users/schema.ts';
import { userStatuses } from '../users/states.ts';
import { commonNamings } from './common.ts';
import type { Variant } from './variant.ts';

const user = canonical<UserRecord>(serializeUser, {
  role: unchangedValues(...commonRoles),
  status: unchangedValues(...userStatuses),
});

const eventTypes = {};

export const a: Variant = {
  id: 'a',
  defaultPerPage: 25,
  listsInMeta: true,
  eventTypes,
  namings: {
    ...commonNamings({ user, eventTypes }),
    lead: {
      serialize: serializeLead,
      names: {},
      unknown: ['score'],
      values: { status: unchangedValues(...leadStatuses) },
    },
    deal: {
      serialize: serializeDeal,
      names: {},
      unknown: ['stage', 'currency', 'products'],
      values: { status: unchangedValues(...dealStatuses), priority: unchangedValues(...dealPriorities) },
    },
    closing: canonical(serializeDeal, { result: unchangedValues(...dealResults) }),
    stage: canonical(serializeStage),
    user,
    team: canonical(serializeTeam),
    activity: canonical(serializeActivity, { type: unchangedValues(...activityTypes) }),
  },
};
