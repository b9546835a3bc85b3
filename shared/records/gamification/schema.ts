// What answers about missions, points, badges, challenges, seasons and standings hold.
import { z } from 'zod';
import { metrics, pointReasons } from '../../gamification/words.ts';
import { id, nullableText, time } from '../fields.ts';

const count = z.int().min(0);
const name = z.string();
const metric = z.enum(metrics);

export const missionResponse = z
  .object({
    id,
    name,
    points: count.describe('For each completion from here on; earlier entries keep what they had.'),
    codes: z.array(z.string()).describe('Activity codes that count for it.'),
    completions: count.describe('Of everybody, or of the user of `user_id`; void activities do not count.'),
  })
  .meta({ id: 'Mission' });

export const badgeResponse = z
  .object({ id, name, metric, threshold: z.number(), earned_by: count.describe('How many have it.') })
  .meta({ id: 'Badge' });

/** A badge that a user has. */
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
    starts_at: time.nullable().describe('Null: everything before the end counts.'),
    ends_at: time.nullable().describe('This moment and later do not count. Null: it has no end.'),
    reward_points: count,
    progress: z.array(progress).describe('Best first.'),
  })
  .meta({ id: 'Challenge' });

export const seasonResponse = z
  .object({ id, name, starts_at: time, ends_at: time.describe('This moment and later do not count.') })
  .meta({ id: 'Season' });

export const pointEntryResponse = z
  .object({
    id: z.int(),
    points: z.int().describe('Negative where points are taken.'),
    reason: z.enum(pointReasons),
    note: nullableText.describe('Why an admin adjusted the points, or made the activity void.'),
    mission_id: id.nullable(),
    created_at: time,
  })
  .meta({ id: 'PointEntry' });

export const standingResponse = z
  .object({
    position: z.int().min(1).describe('The same for as many points: 1, 1, 3.'),
    user_id: id.nullable().describe('Null for a collaborator without a user.'),
    collaborator_id: id.nullable().describe('Null for a user whom no CRM sent.'),
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
