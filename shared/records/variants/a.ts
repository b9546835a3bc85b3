// Variant A: the canonical names.

import { deliveryStatuses } from '../../webhooks/management/states.ts';
import { activityTypes, serializeActivity } from '../activities/schema.ts';
import { serializeDeal } from '../deals/schema.ts';
import { dealPriorities, dealResults, dealStatuses } from '../deals/states.ts';
import { serializeInvitation } from '../invitations/schema.ts';
import { invitationStatuses } from '../invitations/states.ts';
import { serializeLead } from '../leads/schema.ts';
import { leadStatuses } from '../leads/states.ts';
import { ownNamings } from '../me/serialize.ts';
import { type Naming, unchangedValues } from '../naming.ts';
import { commonRoles } from '../roles.ts';
import { serializeStage } from '../stages/reads.ts';
import { serializeTeam } from '../teams/schema.ts';
import type { UserRecord } from '../users/queries.ts';
import { serializeUser } from '../users/schema.ts';
import { userStatuses } from '../users/states.ts';
import { serializeWebhook } from '../webhooks/serialize.ts';
import { gamificationNamings } from './gamification.ts';
import type { Variant } from './variant.ts';

const user: Naming<UserRecord> = {
  serialize: serializeUser,
  names: {},
  values: { role: unchangedValues(...commonRoles), status: unchangedValues(...userStatuses) },
};

const eventTypes = {};

export const a: Variant = {
  id: 'a',
  defaultPerPage: 25,
  listsInMeta: true,
  eventTypes,
  namings: {
    ...gamificationNamings,
    ...ownNamings({ user, eventTypes }),
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
    closing: { serialize: serializeDeal, names: {}, values: { result: unchangedValues(...dealResults) } },
    stage: { serialize: serializeStage, names: {}, values: {} },
    user,
    team: { serialize: serializeTeam, names: {}, values: {} },
    activity: {
      serialize: serializeActivity,
      names: {},
      values: { type: unchangedValues(...activityTypes) },
    },
    invitation: {
      serialize: serializeInvitation,
      names: {},
      values: { role: unchangedValues(...commonRoles), status: unchangedValues(...invitationStatuses) },
    },
    webhook: {
      serialize: (webhook) => serializeWebhook(webhook),
      names: {},
      values: { status: unchangedValues(...deliveryStatuses) },
    },
  },
};
