// Naming that all variants share, apart from the words of the variant: gamification, what persons read of themselves, invitations and
// webhooks.

import type { WebhookRecord } from '../../webhooks/management/queries.ts';
import { deliveryStatuses } from '../../webhooks/management/states.ts';
import {
  serializeBadge,
  serializeChallenge,
  serializeEarnedBadge,
  serializeMission,
  serializePointEntry,
  serializeSeason,
  serializeStanding,
} from '../gamification/schema.ts';
import type { InvitationRecord } from '../invitations/queries.ts';
import { serializeInvitation } from '../invitations/schema.ts';
import { invitationStatuses } from '../invitations/states.ts';
import { ownNamings } from '../me/serialize.ts';
import { canonical, type NamingRules, unchangedValues, valueFor } from '../naming.ts';
import { serializeWebhook } from '../webhooks/serialize.ts';
import type { Variant } from './variant.ts';

interface VariantWords extends Pick<Variant, 'eventTypes'> {
  /** The variant's naming of users, whose roles persons and invitations share. */
  user: NamingRules;
}

export const commonNamings = ({ user, eventTypes }: VariantWords) => ({
  mission: canonical(serializeMission),
  badge: canonical(serializeBadge),
  earnedBadge: canonical(serializeEarnedBadge),
  challenge: canonical(serializeChallenge),
  season: canonical(serializeSeason),
  pointEntry: canonical(serializePointEntry),
  standing: canonical(serializeStanding),
  ...ownNamings(user, eventTypes),
  invitation: canonical(
    (invitation: InvitationRecord) => ({
      ...serializeInvitation(invitation),
      role: valueFor(user, 'role', invitation.role),
    }),
    { role: user.values.role ?? {}, status: unchangedValues(...invitationStatuses) },
  ),
  webhook: canonical((webhook: WebhookRecord) => serializeWebhook(webhook, { eventTypes }), {
    status: unchangedValues(...deliveryStatuses),
  }),
});
