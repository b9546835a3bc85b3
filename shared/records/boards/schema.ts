// A board in the response to its reader. It contains no ids.
import { z } from 'zod';
import { nullableText, time } from '../fields.ts';
import { standingsPeriods } from '../gamification/standings-query.ts';

export const boardResponse = z
  .object({
    name: z.string(),
    workspace: z.string(),
    team: nullableText.describe('The team whose members are shown; null shows all players.'),
    period: z.enum(standingsPeriods).nullable(),
    season: nullableText,
    updated_at: time,
    entries: z
      .array(
        z.object({
          position: z.int().min(1).describe('Ties share a position: 1, 1, 3.'),
          name: z.string(),
          points: z.int(),
        }),
      )
      .describe('The first 50.'),
  })
  .meta({ id: 'BoardStandings' });

export type BoardResponse = z.output<typeof boardResponse>;
