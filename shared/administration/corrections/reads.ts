// Reads players, their points, and activities of activity sync.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { isUuid } from '../../platform/uuid.ts';
import { adminError, withAdminErrors } from '../errors.ts';
import type { Page, Paging } from '../statements.ts';
import { readPage } from '../transactions.ts';
import {
  type ActivityFilters,
  rememberPlayerOf,
  selectActivities,
  selectEntries,
  selectPlayers,
} from './queries.ts';

export const listPlayers = (context: Context, paging: Paging) =>
  readPage(context, (sql) => selectPlayers(sql, context.tenantId, paging));

/** The point entries of a user or collaborator. Throws `not_found`. */
export async function listEntries(
  { read, tenantId }: Context,
  personId: string,
  paging: Paging,
): Promise<Page> {
  if (!isUuid(personId)) throw adminError('player_missing');
  const { entries } = await withAdminErrors(
    read((sql) => ({
      player: rememberPlayerOf(sql, tenantId, personId),
      entries: selectEntries(sql, tenantId, paging),
    })),
  );
  return oneRow(entries);
}

export const listActivities = (context: Context, filters: ActivityFilters, paging: Paging) =>
  readPage(context, (sql) => selectActivities(sql, context.tenantId, filters, paging));
