// Operations of the admin API: missions, activity codes, point rules, tiers, badges, challenges and seasons.
import { z } from 'zod';
import { flagFilter } from '../../../shared/administration/fields.ts';
import {
  badges,
  challenges,
  missions,
  seasons,
  tiers,
} from '../../../shared/administration/gamification/named.ts';
import { getCode, getRule, listCodes, listRules } from '../../../shared/administration/gamification/reads.ts';
import {
  activityCode,
  badge,
  badgeChange,
  challenge,
  challengeChange,
  code,
  codeMapping,
  mission,
  missionChange,
  newBadge,
  newChallenge,
  newMission,
  newSeason,
  newTier,
  pointRule,
  pointRuleInput,
  season,
  seasonChange,
  tier,
  tierChange,
} from '../../../shared/administration/gamification/schema.ts';
import {
  deleteRule,
  mapCode,
  setRule,
  unmapCode,
} from '../../../shared/administration/gamification/writes.ts';
import { ApiError } from '../../../shared/platform/errors.ts';
import { isUuid } from '../../../shared/platform/uuid.ts';
import { operation } from './operation.ts';
import { managedResource } from './resource.ts';

const reads = { method: 'get', scopes: ['read:settings', 'manage:gamification'] } as const;
const writes = { scopes: ['manage:gamification'] } as const;
const scopes = { scopes: { read: reads.scopes, write: writes.scopes } } as const;

const mapped = flagFilter.describe('false: codes that were sent but are not mapped to a mission.');

/** A code in a path. */
function codeOf(text: string): string {
  if (activityCode.safeParse(text).success) return text;
  throw new ApiError('not_found', 'Invalid activity code. Use 001 to 999.', {
    reason: 'malformed_id',
  });
}

/** The id of a rule in a path. */
function ruleId(text: string): string {
  if (isUuid(text)) return text;
  throw new ApiError('not_found', 'There is no point rule with this id.', { reason: 'malformed_id' });
}

export const gamificationOperations = {
  ...managedResource({
    ...scopes,
    resource: missions,
    path: '/missions',
    names: ['Mission', 'Missions'],
    create: newMission,
    change: missionChange,
    data: mission,
  }),
  ...managedResource({
    ...scopes,
    resource: tiers,
    path: '/tiers',
    names: ['Tier', 'Tiers'],
    create: newTier,
    change: tierChange,
    data: tier,
  }),
  ...managedResource({
    ...scopes,
    resource: badges,
    path: '/badges',
    names: ['Badge', 'Badges'],
    create: newBadge,
    change: badgeChange,
    data: badge,
  }),
  ...managedResource({
    ...scopes,
    resource: challenges,
    path: '/challenges',
    names: ['Challenge', 'Challenges'],
    create: newChallenge,
    change: challengeChange,
    data: challenge,
  }),
  ...managedResource({
    ...scopes,
    resource: seasons,
    path: '/seasons',
    names: ['Season', 'Seasons'],
    create: newSeason,
    change: seasonChange,
    data: season,
  }),

  listActivityCodes: operation({
    ...reads,
    path: '/activity-codes',
    summary: 'List activity codes',
    description: 'Codes that are mapped to a mission, and codes of activities that were sent.',
    form: 'page',
    query: z.object({ mapped }),
    data: code,
    run: ({ query, paging }, context) => listCodes(context, query.mapped, paging),
  }),
  getActivityCode: operation({
    ...reads,
    path: '/activity-codes/:code',
    summary: 'Get an activity code',
    data: code,
    versioned: true,
    run: ({ params }, context) => getCode(context, codeOf(params.code)),
  }),
  mapActivityCode: operation({
    ...writes,
    method: 'put',
    path: '/activity-codes/:code',
    summary: 'Map an activity code to a mission',
    description:
      'Activities recorded earlier count too. If the code counted for another mission, its points move to this one.',
    body: codeMapping,
    data: code,
    versioned: true,
    run: ({ params, body, versions }, context) =>
      mapCode(context, codeOf(params.code), body.mission, versions),
  }),
  unmapActivityCode: operation({
    ...writes,
    method: 'delete',
    path: '/activity-codes/:code',
    summary: 'Unmap an activity code',
    description: 'Points earned with the code are reversed.',
    versioned: true,
    run: ({ params, versions }, context) => unmapCode(context, codeOf(params.code), versions),
  }),

  listPointRules: operation({
    ...reads,
    path: '/point-rules',
    summary: 'List point rules',
    form: 'page',
    data: pointRule,
    run: ({ paging }, context) => listRules(context, paging),
  }),
  setPointRule: operation({
    ...writes,
    method: 'put',
    path: '/point-rules',
    summary: 'Set the points for an event',
    description: 'Creates the rule of this event and stage, or changes it. Points of past events stay.',
    body: pointRuleInput,
    data: pointRule,
    versioned: true,
    status: 201,
    run: ({ body, versions }, context) => setRule(context, body, versions),
  }),
  getPointRule: operation({
    ...reads,
    path: '/point-rules/:id',
    summary: 'Get a point rule',
    data: pointRule,
    versioned: true,
    run: ({ params }, context) => getRule(context, ruleId(params.id)),
  }),
  deletePointRule: operation({
    ...writes,
    method: 'delete',
    path: '/point-rules/:id',
    summary: 'Delete a point rule',
    description: 'Points that the rule has awarded stay.',
    versioned: true,
    run: ({ params, versions }, context) => deleteRule(context, ruleId(params.id), versions),
  }),
};
