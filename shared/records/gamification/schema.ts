// Missions, points, badges, challenges, seasons and standings in responses.
import { z } from 'zod';
import { utcTime, utcTimeOrNull } from '../../platform/instants.ts';
import { id, nullableText, time } from '../fields.ts';
import type {
  BadgeRecord,
  ChallengeRecord,
  EarnedBadgeRecord,
  MissionRecord,
  PointEntryRecord,
  SeasonRecord,
  StandingRecord,
} from './queries.ts';
import { metrics, pointReasons } from './states.ts';

const count = z.int().min(0);
const name = z.string();
const metric = z.enum(metrics);

export const missionResponse = z
  .object({
    id,
    name,
    points: count.describe('Points for each future completion. Earlier entries keep their points.'),
    codes: z.array(z.string()).describe('Activity codes that complete the mission.'),
    completions: count.describe(
      'Completions of all players, or of the user in `user_id`. Voided activities do not count.',
    ),
  })
  .meta({ id: 'Mission' });

export const badgeResponse = z
  .object({
    id,
    name,
    metric,
    threshold: z.number(),
    earned_by: count.describe('Number of players who have the badge.'),
  })
  .meta({ id: 'Badge' });

/** A badge that a user earned. */
export const earnedBadgeResponse = badgeResponse.extend({ earned_at: time }).meta({ id: 'BadgeOfUser' });

const progress = z
  .object({
    user_id: id.nullable().describe('Null for a collaborator without a user.'),
    name,
    value: z.number(),
    completed_at: time.nullable(),
  })
  .meta({ id: 'ChallengeProgress' });

export const challengeResponse = z
  .object({
    id,
    name,
    metric,
    target: z.number(),
    starts_at: time.nullable().describe('Null if the challenge has no start.'),
    ends_at: time.nullable().describe('Exclusive. Null if the challenge has no end.'),
    reward_points: count,
    progress: z.array(progress).describe('Highest value first.'),
  })
  .meta({ id: 'Challenge' });

export const seasonResponse = z
  .object({ id, name, starts_at: time, ends_at: time.describe('Exclusive.') })
  .meta({ id: 'Season' });

export const pointEntryResponse = z
  .object({
    id: z.int(),
    points: z.int().describe('Negative if points were deducted.'),
    reason: z.enum(pointReasons),
    note: nullableText.describe('Why an admin adjusted the points or voided the activity.'),
    mission_id: id.nullable(),
    mission_name: z.string().nullable(),
    subject: z
      .object({
        resource: z.enum(['activity', 'deal', 'lead']),
        id: z.string().describe('The external id of an activity.'),
        name: nullableText.describe('Null for an activity, and if the token may not read the record.'),
      })
      .nullable()
      .describe('What earned the points.'),
    created_at: time,
  })
  .meta({ id: 'PointEntry' });

export const standingResponse = z
  .object({
    position: z.int().min(1).describe('Ties share a position: 1, 1, 3.'),
    user_id: id.nullable().describe('Null for a collaborator without a user.'),
    collaborator_id: id.nullable().describe('Null for a user that no CRM has synced.'),
    name,
    points: z.int(),
  })
  .meta({ id: 'Standing' });

type MissionResponse = z.output<typeof missionResponse>;
type BadgeResponse = z.output<typeof badgeResponse>;
type EarnedBadgeResponse = z.output<typeof earnedBadgeResponse>;
type ChallengeResponse = z.output<typeof challengeResponse>;
type SeasonResponse = z.output<typeof seasonResponse>;
type PointEntryResponse = z.output<typeof pointEntryResponse>;
export type StandingResponse = z.output<typeof standingResponse>;

export const serializeMission = (mission: MissionRecord): MissionResponse => ({
  id: mission.id,
  name: mission.name,
  points: mission.points,
  codes: mission.codes,
  completions: mission.completions,
});

export const serializeBadge = (badge: BadgeRecord): BadgeResponse => ({
  id: badge.id,
  name: badge.name,
  metric: badge.metric,
  threshold: badge.threshold,
  earned_by: badge.earned_by,
});

export const serializeEarnedBadge = (badge: EarnedBadgeRecord): EarnedBadgeResponse => ({
  ...serializeBadge(badge),
  earned_at: utcTime(badge.earned_at),
});

/** Null for an infinite bound, which an ISO timestamp cannot express. */
export const boundOf = (stored: string): string | null =>
  stored.endsWith('infinity') ? null : utcTime(stored);

export const serializeChallenge = (challenge: ChallengeRecord): ChallengeResponse => ({
  id: challenge.id,
  name: challenge.name,
  metric: challenge.metric,
  target: challenge.target,
  starts_at: boundOf(challenge.starts_at),
  ends_at: boundOf(challenge.ends_at),
  reward_points: challenge.reward_points,
  progress: challenge.progress.map(({ user_id, name, value, completed_at }) => ({
    user_id,
    name,
    value,
    completed_at: utcTimeOrNull(completed_at),
  })),
});

export const serializeSeason = (season: SeasonRecord): SeasonResponse => ({
  id: season.id,
  name: season.name,
  starts_at: utcTime(season.starts_at),
  ends_at: utcTime(season.ends_at),
});

export const serializePointEntry = (entry: PointEntryRecord): PointEntryResponse => ({
  id: entry.id,
  points: entry.points,
  reason: entry.reason,
  note: entry.note,
  mission_id: entry.mission_id,
  mission_name: entry.mission_name,
  subject: entry.subject,
  created_at: utcTime(entry.created_at),
});

export const serializeStanding = (standing: StandingRecord): StandingResponse => standing;
