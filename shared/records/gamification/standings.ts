import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { withDomainErrors } from '../domain-errors.ts';
import type { ListResult } from '../list.ts';
import { type StandingRecord, selectStandings } from './queries.ts';
import type { StandingsQuery } from './standings-query.ts';

/**
 * Users and collaborators by points. Throws `validation` where `to` is not after `from`, `unprocessable` for a season that is
 * not there and a user who has no place in these standings.
 */
export async function getStandings(
  { read, tenantId }: Context,
  query: StandingsQuery,
): Promise<ListResult<StandingRecord>> {
  const rows = await withDomainErrors(read((sql) => selectStandings(sql, tenantId, query)));
  const { records, total, page } = oneRow(rows);
  return { records, total: Number(total), page: Number(page), perPage: query.perPage };
}
