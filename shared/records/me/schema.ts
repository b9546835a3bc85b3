// What persons read and change of themselves, in canonical names.
import { z } from 'zod';
import { required, text } from '../../platform/validation.ts';
import { id, nullableText, time } from '../fields.ts';
import { pointEntryResponse } from '../gamification/schema.ts';
import { metrics, pointRuleEvents } from '../gamification/states.ts';
import { userRoles } from '../roles.ts';
import { phone } from '../users/schema.ts';

const MAX_URL_LENGTH = 2048;
const HTTPS_URL = /^https:\/\/[^\s/?#@\\]+([/?#][^\s\\]*)?$/i;

/** What a person may change. */
export const meChange = z
  .object({
    phone,
    avatar_url: text({ maxLength: MAX_URL_LENGTH })
      .refine((value) => HTTPS_URL.test(value) && URL.canParse(value), { error: 'must be an https URL' })
      .nullable()
      .optional()
      .describe('An https URL.'),
    standings_opt_out: z
      .boolean({ error: required('must be true or false') })
      .optional()
      .describe('Whether the person is hidden from standings.'),
  })
  .meta({ id: 'MeChange' });

/** The person in a response. */
export const meResponse = z
  .object({
    id,
    name: z.string(),
    email: z.string(),
    phone: nullableText,
    avatar_url: nullableText,
    role: z.enum(userRoles),
    team: z.object({ id, name: z.string() }).nullable(),
    tenant: z.object({ id, slug: z.string(), name: z.string(), time_zone: z.string() }),
    access: nullableText.describe("The preset that the user's access equals, or null."),
    scopes: z.array(z.string()).describe('The scopes of the token.'),
    total_points: z.int(),
    ranking_tier: nullableText,
    next_tier: z
      .object({ name: z.string(), min_points: z.int() })
      .nullable()
      .describe('Null in the highest tier.'),
    position: z.int().min(1).nullable().describe('Null if the person opted out of standings.'),
    standings_opt_out: z.boolean(),
  })
  .meta({ id: 'Me' });

const shown = z.undefined({ error: 'cannot be set' }).optional();
const shownMembers = Object.keys(meResponse.shape).filter((name) => !Object.hasOwn(meChange.shape, name));

/** The body of a change, which rejects members that are only shown. Variant B shows the team as two members. */
export const meChangeBody = z.object({
  ...Object.fromEntries([...shownMembers, 'team_id', 'team_name'].map((name) => [name, shown])),
  ...meChange.shape,
});

export const causeKinds = ['mission', 'rule', 'challenge', 'automation', 'adjustment', 'void'] as const;

const named = z.object({ id, name: z.string() }).nullable();
const ownRecord = named.describe('Null if the record no longer belongs to the person.');

/** A point entry of the person in a response. */
export const ownPointEntryResponse = pointEntryResponse
  .extend({
    text: z.string().describe('What happened, in one sentence.'),
    cause: z.object({
      kind: z.enum(causeKinds),
      mission: named,
      activity: z
        .object({ code: z.string(), external_id: z.string(), occurred_at: time })
        .nullable()
        .describe('An activity of activity sync.'),
      event: nullableText.describe('The event of a rule or automation.'),
      deal: ownRecord,
      lead: ownRecord,
      challenge: named,
    }),
  })
  .meta({ id: 'OwnPointEntry' });

const value = z.number().describe('What the person has reached.');

export const ownBadgeResponse = z
  .object({
    id,
    name: z.string(),
    metric: z.enum(metrics),
    threshold: z.number(),
    value,
    earned_at: time.nullable(),
  })
  .meta({ id: 'OwnBadge' });

const challengeStates = ['running', 'upcoming', 'ended'] as const;

export const ownChallengeResponse = z
  .object({
    id,
    name: z.string(),
    metric: z.enum(metrics),
    target: z.number(),
    starts_at: time.nullable().describe('Null if the challenge has no start.'),
    ends_at: time.nullable().describe('Exclusive. Null if the challenge has no end.'),
    reward_points: z.int().min(0),
    state: z.enum(challengeStates),
    value,
    completed_at: time.nullable(),
  })
  .meta({ id: 'OwnChallenge' });

const count = z.int().min(0);

const missionSource = z
  .object({
    kind: z.literal('mission'),
    id,
    name: z.string(),
    points: count,
    codes: z.array(z.string()),
    completions: count.describe('Completions of the person. Voided activities do not count.'),
  })
  .meta({ id: 'OwnMission' });
const ruleSource = z
  .object({
    kind: z.literal('rule'),
    event: z.enum(pointRuleEvents),
    stage: named.describe('Null for all stages without a rule of their own.'),
    points: z.int(),
    max_per_day: z.int().min(1).nullable(),
    today: count.describe('How many times the person has earned these points today.'),
  })
  .meta({ id: 'OwnPointRule' });
export const ownMissionResponse = z.discriminatedUnion('kind', [missionSource, ruleSource]);

export type MeChange = z.output<typeof meChange>;
export type MeResponse = z.output<typeof meResponse>;
export type OwnPointEntryResponse = z.output<typeof ownPointEntryResponse>;
export type OwnBadgeResponse = z.output<typeof ownBadgeResponse>;
export type OwnChallengeResponse = z.output<typeof ownChallengeResponse>;
export type OwnMissionResponse = z.output<typeof ownMissionResponse>;
