// Parses the query of standings: a period, a team, and either a page or the rows around one user.
import { ApiError, type ErrorDetail } from '../../platform/errors.ts';
import { DAY_OR_INSTANT_RULE, isDay, parseInstantInUrl } from '../../platform/instants.ts';
import type { Query } from '../../platform/query.ts';
import { isUuid } from '../../platform/uuid.ts';
import { readPageNumbers } from '../list.ts';

export const standingsPeriods = ['today', 'week', 'month', 'quarter', 'year', 'all'] as const;
type StandingsPeriod = (typeof standingsPeriods)[number];

/** A day means midnight in the tenant's time zone. */
type DayOrInstant = { day: string } | { instant: string };

/** `from` is inclusive, `to` is exclusive. */
export type StandingsTime =
  | { period: StandingsPeriod }
  | { season: string }
  | { from?: DayOrInstant | undefined; to?: DayOrInstant | undefined };

export interface StandingsQuery {
  time: StandingsTime;
  teamId?: string | undefined;
  /** Returns the rows around this user instead of `page`. */
  around?: string | undefined;
  page: number;
  perPage: number;
}

const PARAMETERS = ['page', 'per_page', 'period', 'from', 'to', 'season', 'team_id', 'around'];

/** Parses the query and ignores unknown parameters. Throws `validation` listing every invalid parameter. */
export function parseStandingsQuery(query: Query, defaultPerPage: number): StandingsQuery {
  const params = query.take(PARAMETERS);
  const faults: ErrorDetail[] = [];
  const fault = (field: string, message: string) => void faults.push({ field, message });
  const textOf = (name: string) => params.get(name) || undefined;

  const { page, perPage } = readPageNumbers(params, defaultPerPage, fault);
  const uuid = (name: string): string | undefined => {
    const value = textOf(name);
    if (value !== undefined && !isUuid(value)) fault(name, 'must be a UUID');
    return value;
  };
  const moment = (name: string): DayOrInstant | undefined => {
    const value = textOf(name);
    if (value === undefined) return undefined;
    if (isDay(value)) return { day: value };
    const instant = parseInstantInUrl(value);
    if (!instant) fault(name, DAY_OR_INSTANT_RULE);
    return instant ? { instant } : undefined;
  };
  const mustNotCombine = (name: string, ...conflicting: string[]) => {
    const present = conflicting.filter((parameter) => textOf(parameter) !== undefined);
    if (textOf(name) !== undefined && present.length > 0) {
      fault(name, `must not be combined with ${present.join(' and ')}`);
    }
  };

  const period = standingsPeriods.find((name) => name === (textOf('period') ?? 'all'));
  if (!period) fault('period', `must be one of ${standingsPeriods.join(', ')}`);
  else mustNotCombine('period', 'from', 'to', 'season');
  mustNotCombine('season', 'from', 'to');
  mustNotCombine('page', 'around');
  const [from, to, season] = [moment('from'), moment('to'), uuid('season')];
  const [teamId, around] = [uuid('team_id'), uuid('around')];
  if (faults.length > 0) throw new ApiError('validation', 'Fix these query parameters.', { details: faults });
  const time = season ? { season } : from || to ? { from, to } : { period: period ?? 'all' };
  return { time, teamId, around, page, perPage };
}
