// Response schemas of missions, points, badges, challenges, seasons and standings.
import { z } from 'zod';
import { metrics, pointReasons } from '../../gamification/states.ts';
import { id, nullableText, time } from '../fields.ts';

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

export type MissionResponse = z.output<typeof missionResponse>;
export type BadgeResponse = z.output<typeof badgeResponse>;
export type EarnedBadgeResponse = z.output<typeof earnedBadgeResponse>;
export type ChallengeResponse = z.output<typeof challengeResponse>;
export type SeasonResponse = z.output<typeof seasonResponse>;
export type PointEntryResponse = z.output<typeof pointEntryResponse>;
export type StandingResponse = z.output<typeof standingResponse>;
