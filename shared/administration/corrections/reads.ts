// Reads players, their points, and activities of activity sync.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { isUuid } from '../../platform/uuid.ts';
import { adminError, withAdminErrors } from '../errors.ts';
import type { Page, Paging } from '../statements.ts';
import {
  type ActivityFilters,
  rememberPlayerOf,
  selectActivities,
  selectEntries,
  selectPlayers,
} from './queries.ts';

export async function listPlayers({ read, tenantId }: Context, paging: Paging): Promise<Page> {
  return oneRow(await read((sql) => selectPlayers(sql, tenantId, paging)));
}

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

export async function listActivities(
  { read, tenantId }: Context,
  filters: ActivityFilters,
  paging: Paging,
): Promise<Page> {
  return oneRow(await read((sql) => selectActivities(sql, tenantId, filters, paging)));
}
