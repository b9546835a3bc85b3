// What a variant of the records interface is: a naming for each resource, an envelope for lists, and event names.
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
import type { Naming } from '../naming.ts';
import type { StageRecord } from '../stages/queries.ts';
import type { TeamRecord } from '../teams/queries.ts';
import type { UserRecord } from '../users/queries.ts';

/** What each resource is in stored form. */
export interface RecordTypes {
  lead: LeadRecord;
  deal: DealRecord;
  /** What closes a deal, and the deal then. */
  closing: DealRecord;
  stage: StageRecord;
  user: UserRecord;
  team: TeamRecord;
  activity: ActivityRecord;
  invitation: InvitationRecord;
  webhook: WebhookRecord;
  mission: MissionRecord;
  badge: BadgeRecord;
  /** A badge of a user. */
  earnedBadge: EarnedBadgeRecord;
  challenge: ChallengeRecord;
  season: SeasonRecord;
  pointEntry: PointEntryRecord;
  standing: StandingRecord;
}

export type Resource = keyof RecordTypes;

export interface Variant {
  id: NamingVariant;
  defaultPerPage: number;
  /** Whether lists tell their page in `meta`, or in `pagination` and have no `meta`. */
  listsInMeta: boolean;
  /** Event types that this variant names otherwise: its own name by the canonical one. */
  eventTypes: Readonly<Record<string, string>>;
  namings: { readonly [R in Resource]: Naming<RecordTypes[R]> };
}

/** A record as this client sees it in the variant. */
export const serialize = <R extends Resource>(
  variant: Variant,
  resource: R,
  record: RecordTypes[R],
  clientId: string | null,
): object => variant.namings[resource].serialize(record, clientId);
