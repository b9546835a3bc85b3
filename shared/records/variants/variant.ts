// A variant of the records interface: the naming of each resource, the envelope of lists, and event names.
import type { NamingVariant } from '../../platform/access/context.ts';
import type { WebhookRecord } from '../../webhooks/management/queries.ts';
import type { ActivityRecord } from '../activities/queries.ts';
import type { DealRecord } from '../deals/queries.ts';
import type {
  BadgeRecord,
  ChallengeRecord,
  EarnedBadgeRecord,
  MissionRecord,
  PointEntryRecord,
  SeasonRecord,
  StandingRecord,
} from '../gamification/queries.ts';
import type { InvitationRecord } from '../invitations/queries.ts';
import type { LeadRecord } from '../leads/queries.ts';
import type {
  MeRecord,
  OwnBadgeRecord,
  OwnChallengeRecord,
  OwnMissionRecord,
  OwnPointEntryRecord,
} from '../me/queries.ts';
import type { Naming } from '../naming.ts';
import type { StageRecord } from '../stages/reads.ts';
import type { TeamRecord } from '../teams/queries.ts';
import type { UserRecord } from '../users/queries.ts';

/** The stored type of each resource. */
export interface RecordTypes {
  lead: LeadRecord;
  deal: DealRecord;
  /** The request that closes a deal; its response is the deal. */
  closing: DealRecord;
  stage: StageRecord;
  user: UserRecord;
  team: TeamRecord;
  activity: ActivityRecord;
  invitation: InvitationRecord;
  webhook: WebhookRecord;
  mission: MissionRecord;
  badge: BadgeRecord;
  /** A badge that a user earned. */
  earnedBadge: EarnedBadgeRecord;
  challenge: ChallengeRecord;
  season: SeasonRecord;
  pointEntry: PointEntryRecord;
  standing: StandingRecord;
  /** What persons read of themselves. */
  me: MeRecord;
  ownPointEntry: OwnPointEntryRecord;
  ownBadge: OwnBadgeRecord;
  ownChallenge: OwnChallengeRecord;
  ownMission: OwnMissionRecord;
}

export type Resource = keyof RecordTypes;

export interface Variant {
  id: NamingVariant;
  defaultPerPage: number;
  /** Whether lists return their page numbers in `meta`; otherwise they return `pagination` and no `meta`. */
  listsInMeta: boolean;
  /** Event types with another name in this variant: canonical name to the variant's name. */
  eventTypes: Readonly<Record<string, string>>;
  namings: { readonly [R in Resource]: Naming<RecordTypes[R]> };
}
