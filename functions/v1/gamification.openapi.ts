// OpenAPI descriptions of missions, standings, seasons, badges, challenges and points. They are the same in all variants.
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
        user_id: idFilter.describe('Counts only completions of this user.'),
      }),
      data: z.array(missionResponse),
      list,
      failures: [422],
    }),
    getStandings: describe({
      tag,
      summary: 'List standings: users and collaborators by points',
      description:
        'Excludes users who opted out of rankings. `period`, `season`, and `from` with `to` are mutually exclusive, and so are ' +
        '`page` and `around`. Returns 422 if the season does not exist or the user in `around` is not in these standings.',
      query: z.object({
        ...pages,
        period: z
          .enum(standingsPeriods)
          .optional()
          .describe("From the start of the period in the tenant's calendar until now. Default: all."),
        from: instantOrDaySchema
          .optional()
          .describe(
            "Inclusive. A timestamp with an offset, or a date, which means midnight in the tenant's time zone.",
          ),
        to: instantOrDaySchema.optional().describe('Exclusive. Same formats as `from`.'),
        season: idFilter.describe('Counts points of this season.'),
        team_id: idFilter.describe('Only members of this team, ranked among themselves.'),
        around: idFilter.describe(
          'Returns `per_page` rows centered on this user, if there are enough rows on both sides.',
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
      summary: 'List challenges with progress',
      query: z.object({
        ...paging(variant, ['created_at', 'starts_at', 'ends_at', 'name']),
        user_id: idFilter.describe('Shows only the progress of this user.'),
      }),
      data: z.array(challengeResponse),
      list,
      failures: [422],
    }),
    listPoints: describe({
      tag,
      summary: "List a user's point entries",
      description: 'The entries add up to the `total_points` of the user. They are never changed or deleted.',
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
