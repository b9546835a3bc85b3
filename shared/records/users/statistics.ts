import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { selectStatistics } from './queries.ts';
import type { StatisticsResponse } from './schema.ts';
import type { Span } from './span.ts';

/** What a user did in a time of the tenant's calendar, counted from the records. Throws `not_found`. */
export async function getStatistics(
  { read, tenantId }: Context,
  userId: string,
  span: Span,
): Promise<StatisticsResponse> {
  const rows = await withDomainErrors(read((sql) => selectStatistics(sql, tenantId, userId, span)));
  return oneRow(rows).record;
}
