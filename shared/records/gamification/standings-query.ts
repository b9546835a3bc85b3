// What standings may be asked for: a time, a team, a page or the place of one user.
import { ApiError, type ErrorDetail } from '../../platform/errors.ts';
import { isDay, parseInstant } from '../../platform/instants.ts';
import type { Query } from '../../platform/query.ts';
import { isUuid } from '../../platform/uuid.ts';
import { readPageNumbers } from '../list.ts';

export const standingsPeriods = ['today', 'week', 'month', 'quarter', 'year', 'all'] as const;
export type StandingsPeriod = (typeof standingsPeriods)[number];

/** A day stands for its midnight in the tenant's time zone. */
export type DayOrInstant = { day: string } | { instant: string };

/** The first moment is included, the last one is not. */
export type StandingsTime =
  | { period: StandingsPeriod }
  | { season: string }
  | { from?: DayOrInstant | undefined; to?: DayOrInstant | undefined };

export interface StandingsQuery {
  time: StandingsTime;
  teamId?: string | undefined;
  /** The user whose surroundings are asked for, in place of a page. */
  around?: string | undefined;
  page: number;
  perPage: number;
}

const PARAMETERS = ['page', 'per_page', 'period', 'from', 'to', 'season', 'team_id', 'around'];

/** Reads the query. Unknown parameters are ignored; throws `validation` naming every bad one. */
export function parseStandingsQuery(query: Query, defaultPerPage: number): StandingsQuery {
  const given = query.take(PARAMETERS);
  const faults: ErrorDetail[] = [];
  const fault = (field: string, message: string) => void faults.push({ field, message });
  const textOf = (name: string) => given.get(name) || undefined;

  const { page, perPage } = readPageNumbers(given, defaultPerPage, fault);
  const uuid = (name: string): string | undefined => {
    const value = textOf(name);
    if (value !== undefined && !isUuid(value)) fault(name, 'must be a UUID');
    return value;
  };
  const moment = (name: string): DayOrInstant | undefined => {
    const value = textOf(name);
    if (value === undefined) return undefined;
    if (isDay(value)) return { day: value };
    const instant = parseInstant(value);
    if (!instant) fault(name, 'must be a date, or an ISO 8601 timestamp with an offset');
    return instant ? { instant } : undefined;
  };
  const together = (name: string, ...others: string[]) => {
    const other = others.filter((one) => textOf(one) !== undefined);
    if (textOf(name) !== undefined && other.length > 0) {
      fault(name, `must not be sent together with ${other.join(' and ')}`);
    }
  };

  const period = standingsPeriods.find((one) => one === (textOf('period') ?? 'all'));
  if (!period) fault('period', `must be one of ${standingsPeriods.join(', ')}`);
  else together('period', 'from', 'to', 'season');
  together('season', 'from', 'to');
  together('page', 'around');
  const [from, to, season] = [moment('from'), moment('to'), uuid('season')];
  const [teamId, around] = [uuid('team_id'), uuid('around')];
  if (faults.length > 0) throw new ApiError('validation', 'Fix these query parameters.', { details: faults });
  const time = season ? { season } : from || to ? { from, to } : { period: period ?? 'all' };
  return { time, teamId, around, page, perPage };
}
