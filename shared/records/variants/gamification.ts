// Gamification resources have the same names in all variants.

import {
  serializeBadge,
  serializeChallenge,
  serializeEarnedBadge,
  serializeMission,
  serializePointEntry,
  serializeSeason,
  serializeStanding,
} from '../gamification/schema.ts';
import type { Naming } from '../naming.ts';

const canonical = <R>(serialize: (record: R) => object): Naming<R> => ({ serialize, names: {}, values: {} });

export const gamificationNamings = {
  mission: canonical(serializeMission),
  badge: canonical(serializeBadge),
  earnedBadge: canonical(serializeEarnedBadge),
  challenge: canonical(serializeChallenge),
  season: canonical(serializeSeason),
  pointEntry: canonical(serializePointEntry),
  standing: canonical(serializeStanding),
};
