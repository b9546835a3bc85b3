// Schemas of missions, activity codes, point rules, tiers, badges, challenges and seasons in the admin API.
import { z } from 'zod';
import { required } from '../../platform/validation.ts';
import { metrics, pointRuleEvents } from '../../records/gamification/states.ts';
import {
  count,
  goal,
  id,
  integer,
  moment,
  name,
  namedRecord,
  oneOf,
  points,
  positivePoints,
  reference,
  time,
} from '../fields.ts';

export const activityCode = z
  .string({ error: required('must be a string') })
  .regex(/^(?:00[1-9]|0[1-9]\d|[1-9]\d\d)$/, { error: 'must be three digits, 001 to 999' });

const missionMembers = {
  name,
  points: positivePoints.describe('Points for each completion.'),
  codes: z
    .array(activityCode, { error: 'must be an array of activity codes' })
    .max(999, { error: 'must have at most 999 items' })
    .optional()
    .describe(
      'The activity codes that count. A code that counts for another mission moves to this one, with its points.',
    ),
};
export const newMission = z.object(missionMembers).meta({ id: 'NewMission' });
export const missionChange = newMission.partial().meta({ id: 'MissionChange' });
export const mission = z
  .object({
    id,
    name: z.string(),
    points: z.int(),
    codes: z.array(z.string()),
    completions: z.int().describe('Number of completions by players. Does not change the ETag.'),
    created_at: time,
  })
  .meta({ id: 'AdminMission' });

export const codeMapping = z
  .object({ mission: reference.describe('Id or name of a mission.') })
  .meta({ id: 'CodeMapping' });
export const code = z
  .object({
    code: z.string(),
    mission: namedRecord.describe('The mission for which the code counts.'),
    activities: count.describe('Number of activities with this code. Does not change the ETag.'),
    last_received_at: time.nullable(),
  })
  .meta({ id: 'ActivityCode' });

export const pointRuleInput = z
  .object({
    event: oneOf(pointRuleEvents),
    points: points.describe('Points for each time. Negative points deduct, 0 ends the rule.'),
    stage: reference
      .nullable()
      .optional()
      .describe(
        'Only for deal.stage_changed: id or name of the stage to which the deal moves. Without it, the rule counts for all stages ' +
          'that have no rule of their own.',
      ),
    max_per_day: integer(1, 1_000_000)
      .nullable()
      .optional()
      .describe('How many times per day a player can earn these points. null: no limit.'),
  })
  .meta({ id: 'PointRuleInput' });
export const pointRule = z
  .object({
    id,
    event: oneOf(pointRuleEvents),
    points: z.int(),
    stage: namedRecord,
    max_per_day: z.int().nullable(),
    created_at: time,
  })
  .meta({ id: 'PointRule' });

export const newTier = z
  .object({ name, min_points: integer(0, 1_000_000_000).describe('Points at which the tier begins.') })
  .meta({ id: 'NewTier' });
export const tierChange = newTier.partial().meta({ id: 'TierChange' });
export const tier = z
  .object({ id, name: z.string(), min_points: z.int(), created_at: time })
  .meta({ id: 'Tier' });

const metric = oneOf(metrics);
const metricInput = metric.describe(
  'What is counted for each player. revenue_closed is the sum of the values of won deals. Collaborators without a user have only points ' +
    'and missions_completed.',
);

export const newBadge = z
  .object({
    name,
    metric: metricInput,
    threshold: goal.describe('Players earn the badge when the metric reaches it.'),
  })
  .meta({ id: 'NewBadge' });
export const badgeChange = newBadge.partial().meta({ id: 'BadgeChange' });
export const badge = z
  .object({ id, name: z.string(), metric, threshold: z.number(), earned_by: count, created_at: time })
  .meta({ id: 'AdminBadge' });

export const newChallenge = z
  .object({
    name,
    metric: metricInput,
    target: goal.describe('Value of the metric that a player must reach between `starts_at` and `ends_at`.'),
    starts_at: moment,
    ends_at: moment.describe('Exclusive. A date means midnight in the time zone of the workspace.'),
    reward_points: positivePoints.optional().describe('Points for players who reach the target. Default: 0.'),
  })
  .meta({ id: 'NewChallenge' });
export const challengeChange = newChallenge.partial().meta({ id: 'ChallengeChange' });
export const challenge = z
  .object({
    id,
    name: z.string(),
    metric,
    target: z.number(),
    starts_at: time,
    ends_at: time,
    reward_points: z.int(),
    completed_by: count,
    created_at: time,
  })
  .meta({ id: 'AdminChallenge' });

export const newSeason = z.object({ name, starts_at: moment, ends_at: moment }).meta({ id: 'NewSeason' });
export const seasonChange = newSeason.partial().meta({ id: 'SeasonChange' });
export const season = z
  .object({ id, name: z.string(), starts_at: time, ends_at: time, created_at: time })
  .meta({ id: 'AdminSeason' });
