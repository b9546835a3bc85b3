// The period of user statistics.
import { ApiError, type ErrorDetail } from '../../platform/errors.ts';
import { isDay } from '../../platform/instants.ts';
import type { Query } from '../../platform/query.ts';

export const periods = ['today', 'week', 'month', 'quarter', 'year', 'all_time'] as const;
export type Period = (typeof periods)[number];

export interface StatisticsPeriod {
  period: Period | 'custom';
  /** First and last day, both inclusive, in the tenant's time zone. */
  startDate?: string;
  endDate?: string;
}

/** Parses `period` and, if `days` is set, `start_date` and `end_date`, which override it. Throws `validation`. */
export function parseStatisticsPeriod(query: Query, { days = false } = {}): StatisticsPeriod {
  const params = query.take(['period', ...(days ? ['start_date', 'end_date'] : [])]);
  const details: ErrorDetail[] = [];
  const period = periods.find((name) => name === (params.get('period') ?? 'month'));
  if (!period) details.push({ field: 'period', message: `must be one of ${periods.join(', ')}` });
  const dayOf = (name: string): string | undefined => {
    const value = params.get(name);
    if (!value) return undefined;
    if (!isDay(value)) details.push({ field: name, message: 'must be a date, YYYY-MM-DD' });
    return value;
  };
  const [startDate, endDate] = [dayOf('start_date'), dayOf('end_date')];
  if (startDate && endDate && details.length === 0 && startDate > endDate) {
    details.push({ field: 'end_date', message: 'must not be before start_date' });
  }
  if (details.length > 0) throw new ApiError('validation', 'Fix these query parameters.', { details });
  if (!startDate && !endDate) return { period: period ?? 'month' };
  return { period: 'custom', ...(startDate && { startDate }), ...(endDate && { endDate }) };
}
