// What OpenAPI says of missions, standings, seasons, badges, challenges and points: the same in all variants.
import { z } from 'zod';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import {
  badgeResponse,
  challengeResponse,
  earnedBadgeResponse,
  missionResponse,
  pointEntryResponse,
  seasonResponse,
  standingResponse,
} from '../../shared/records/gamification/schema.ts';
import { standingsPeriods } from '../../shared/records/gamification/standings-query.ts';
import type { gamificationEndpoints } from './gamification.ts';
import { describeIn, idFilter, instantOrDaySchema, listOf, paging } from './openapi.ts';
import type { Schemas } from './schemas.openapi.ts';

const tag = 'Gamification';
const params = ['id'] as const;

export function gamificationOperations({ id: variant }: Schemas): OperationsOf<typeof gamificationEndpoints> {
  const describe = describeIn(variant);
  const list = listOf(variant);
  const { sort: _sort, ...pages } = paging(variant, ['position']);
  return {
    listMissions: describe({
      tag,
      summary: 'List missions',
      query: z.object({
        ...paging(variant, ['created_at', 'name', 'points']),
        user_id: idFilter.describe('Completions of this user alone.'),
      }),
      data: z.array(missionResponse),
      list,
      failures: [422],
    }),
    getStandings: describe({
      tag,
      summary: 'List users and collaborators by points of a time',
      description:
        'Who opted out of rankings is not there. `period`, `season`, and `from` with `to` do not go together; nor do `page` and `around`. ' +
        '422 where there is no such season, or the user of `around` has no place in these standings.',
      query: z.object({
        ...pages,
        period: z
          .enum(standingsPeriods)
          .optional()
          .describe("Of the tenant's calendar, from its start until now; all when absent."),
        from: instantOrDaySchema
          .optional()
          .describe(
            "Included. A timestamp with an offset, or a date: its midnight in the tenant's time zone.",
          ),
        to: instantOrDaySchema.optional().describe('Not included; the same forms.'),
        season: idFilter.describe('The time of this season.'),
        team_id: idFilter.describe('Members of this team alone, with places among them.'),
        around: idFilter.describe(
          '`per_page` rows with this user in their middle, as far as there are so many on both sides.',
        ),
      }),
      data: z.array(standingResponse),
      list,
      failures: [422],
    }),
    listSeasons: describe({
      tag,
      summary: 'List seasons',
      query: z.object(paging(variant, ['starts_at', 'ends_at', 'created_at', 'name'])),
      data: z.array(seasonResponse),
      list,
    }),
    listBadges: describe({
      tag,
      summary: 'List badges',
      query: z.object(paging(variant, ['created_at', 'name', 'threshold'])),
      data: z.array(badgeResponse),
      list,
    }),
    listChallenges: describe({
      tag,
      summary: 'List challenges with the progress in each',
      query: z.object({
        ...paging(variant, ['created_at', 'starts_at', 'ends_at', 'name']),
        user_id: idFilter.describe('Progress of this user alone.'),
      }),
      data: z.array(challengeResponse),
      list,
      failures: [422],
    }),
    listPoints: describe({
      tag,
      summary: "List the entries of a user's points",
      description: 'Their sum is `total_points` of the user. Entries are never changed or removed.',
      params,
      query: z.object(paging(variant, ['created_at'])),
      data: z.array(pointEntryResponse),
      list,
      failures: [404],
    }),
    listEarnedBadges: describe({
      tag,
      summary: 'List the badges of a user',
      params,
      query: z.object(paging(variant, ['earned_at', 'name'])),
      data: z.array(earnedBadgeResponse),
      list,
      failures: [404],
    }),
  };
}
