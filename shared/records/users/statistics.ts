// Statistics of a user: what was done in a period of the tenant's calendar. Counted from the records by their indexes.
import type { Context } from '../../platform/context.ts';
import { isDay } from '../../platform/days.ts';
import { oneRow } from '../../platform/db/rows.ts';
import { ApiError } from '../../platform/errors.ts';
import { withDomainErrors } from '../domain-errors.ts';
import type { Row } from '../variants/naming.ts';

export const PERIODS = ['today', 'week', 'month', 'quarter', 'year', 'all_time'] as const;
export type Period = (typeof PERIODS)[number];

export interface Span {
  period: Period | 'custom';
  /** First and last day, in the tenant's time zone. */
  startDate?: string;
  endDate?: string;
}

/** Reads `period`, and with `days` also `start_date` and `end_date`, which take its place. Throws `validation`. */
export function parseSpan(query: URLSearchParams, { days = false } = {}): Span {
  const details: { field: string; message: string }[] = [];
  const period = PERIODS.find((one) => one === (query.get('period') ?? 'month'));
  if (!period) details.push({ field: 'period', message: `must be one of ${PERIODS.join(', ')}` });
  const dayOf = (name: string): string | undefined => {
    const value = days ? query.get(name) : null;
    if (value === null || value === '') return undefined;
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

/** Throws `not_found`. */
export async function getStatistics(
  { transaction, tenantId }: Context,
  userId: string,
  span: Span,
): Promise<Row> {
  const { period, startDate, endDate } = span;
  const [rows] = await withDomainErrors(
    transaction((sql) => [
      sql`
        select coalesce(
          app.user_statistics(${tenantId}, ${userId}, ${period}, ${startDate ?? null}::date, ${endDate ?? null}::date),
          app.raise_domain_error('user_missing')
        ) as record`,
    ]),
  );
  return oneRow<{ record: Row }>(rows).record;
}
