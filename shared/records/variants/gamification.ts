// Names of what gamification shows: the same in all variants.

import {
  serializeBadge,
  serializeChallenge,
  serializeEarnedBadge,
  serializeMission,
  serializePointEntry,
  serializeSeason,
  serializeStanding,
} from '../gamification/serialize.ts';
import type { Naming } from '../naming.ts';

const asItIs = <R>(serialize: (record: R) => object): Naming<R> => ({ serialize, names: {}, values: {} });

export const gamificationNamings = {
  mission: asItIs(serializeMission),
  badge: asItIs(serializeBadge),
  earnedBadge: asItIs(serializeEarnedBadge),
  challenge: asItIs(serializeChallenge),
  season: asItIs(serializeSeason),
  pointEntry: asItIs(serializePointEntry),
  standing: asItIs(serializeStanding),
};
