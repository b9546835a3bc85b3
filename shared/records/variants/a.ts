// Variant A: the canonical names.

import { deliveryStatuses } from '../../webhooks/management/states.ts';
import { activityTypes, serializeActivity } from '../activities/serialize.ts';
import { serializeDeal } from '../deals/serialize.ts';
import { dealPriorities, dealResults, dealStatuses } from '../deals/states.ts';
import { serializeInvitation } from '../invitations/serialize.ts';
import { invitationStatuses } from '../invitations/states.ts';
import { serializeLead } from '../leads/serialize.ts';
import { leadStatuses } from '../leads/states.ts';
import { words } from '../naming.ts';
import { commonRoles } from '../roles.ts';
import { serializeStage } from '../stages/serialize.ts';
import { serializeTeam } from '../teams/serialize.ts';
import { serializeUser } from '../users/serialize.ts';
import { userStatuses } from '../users/states.ts';
import { serializeWebhook } from '../webhooks/serialize.ts';
import { gamificationNamings } from './gamification.ts';
import type { Variant } from './variant.ts';

export const a: Variant = {
  id: 'a',
  defaultPerPage: 25,
  listsInMeta: true,
  eventTypes: {},
  namings: {
    ...gamificationNamings,
    lead: {
      serialize: serializeLead,
      names: {},
      unknown: ['score'],
      values: { status: words(...leadStatuses) },
    },
    deal: {
      serialize: serializeDeal,
      names: {},
      unknown: ['stage', 'currency', 'products'],
      values: { status: words(...dealStatuses), priority: words(...dealPriorities) },
    },
    closing: { serialize: serializeDeal, names: {}, values: { result: words(...dealResults) } },
    stage: { serialize: serializeStage, names: {}, values: {} },
    user: {
      serialize: serializeUser,
      names: {},
      values: { role: words(...commonRoles), status: words(...userStatuses) },
    },
    team: { serialize: serializeTeam, names: {}, values: {} },
    activity: { serialize: serializeActivity, names: {}, values: { type: words(...activityTypes) } },
    invitation: {
      serialize: serializeInvitation,
      names: {},
      values: { role: words(...commonRoles), status: words(...invitationStatuses) },
    },
    webhook: {
      serialize: (webhook) => serializeWebhook(webhook),
      names: {},
      values: { status: words(...deliveryStatuses) },
    },
  },
};
