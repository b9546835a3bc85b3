// Schemas of boards in the admin API.
import { z } from 'zod';
import { standingsPeriods } from '../../records/gamification/standings-query.ts';
import { id, moment, name, namedRecord, oneOf, reference, time } from '../fields.ts';

export const newBoard = z
  .object({
    name,
    team: reference
      .nullable()
      .optional()
      .describe('Id or name of the team whose members are shown. Default: all players.'),
    season: reference.nullable().optional().describe('Id or name of the season. Not together with `period`.'),
    period: oneOf(standingsPeriods)
      .nullable()
      .optional()
      .describe("The current period in the tenant's calendar. Default, without a season: month."),
    expires_at: moment.nullable().optional(),
  })
  .refine(({ season, period }) => !season || !period, {
    path: ['period'],
    error: 'must not be combined with season',
  })
  .meta({ id: 'NewBoard' });

export const board = z
  .object({
    id,
    name: z.string(),
    team: namedRecord,
    season: namedRecord,
    period: z.enum(standingsPeriods).nullable(),
    expires_at: time.nullable(),
    created_at: time,
  })
  .meta({ id: 'Board' });

export const boardWithToken = board
  .extend({
    token: z.string().optional().describe('The token of the board. Only in this response; copy it.'),
    path: z
      .string()
      .optional()
      .describe("The path of the board's page in the console. Only in this response."),
  })
  .meta({ id: 'BoardWithToken' });
