// OpenAPI descriptions of missions, standings, seasons, badges, challenges and points. They are the same in all variants.
import { z } from 'zod';
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
import { type DescriptionsOf, tagged } from './openapi.ts';
import { idFilter, instantOrDaySchema, pages, paging } from './parameters.openapi.ts';
import type { Schemas } from './schemas.openapi.ts';

export function gamificationDescriptions({
  id: variant,
}: Schemas): DescriptionsOf<typeof gamificationEndpoints> {
  return tagged('Gamification', {
    listMissions: {
      summary: 'List missions',
      query: z.object({
        ...paging(variant, ['created_at', 'name', 'points']),
        user_id: idFilter.describe('Counts only completions of this user.'),
      }),
      data: z.array(missionResponse),
      failures: [422],
    },
    getStandings: {
      summary: 'List standings: users and collaborators by points',
      description:
        'Excludes users who opted out of rankings. `period`, `season`, and `from` with `to` are mutually exclusive, and so are ' +
        '`page` and `around`. Returns 422 if the season does not exist or the user in `around` is not in these standings.',
      query: z.object({
        ...pages(variant),
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
      failures: [422],
    },
    listSeasons: {
      summary: 'List seasons',
      query: z.object(paging(variant, ['starts_at', 'ends_at', 'created_at', 'name'])),
      data: z.array(seasonResponse),
    },
    listBadges: {
      summary: 'List badges',
      query: z.object(paging(variant, ['created_at', 'name', 'threshold'])),
      data: z.array(badgeResponse),
    },
    listChallenges: {
      summary: 'List challenges with progress',
      query: z.object({
        ...paging(variant, ['created_at', 'starts_at', 'ends_at', 'name']),
        user_id: idFilter.describe('Shows only the progress of this user.'),
      }),
      data: z.array(challengeResponse),
      failures: [422],
    },
    listPoints: {
      summary: "List a user's point entries",
      description: 'The entries add up to the `total_points` of the user. They are never changed or deleted.',
      query: z.object(paging(variant, ['created_at'])),
      data: z.array(pointEntryResponse),
    },
    listEarnedBadges: {
      summary: 'List the badges of a user',
      query: z.object(paging(variant, ['earned_at', 'name'])),
      data: z.array(earnedBadgeResponse),
    },
  });
}
