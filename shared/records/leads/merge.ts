import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import type { EntityTags } from '../../platform/http/entity-tags.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { timesIn } from '../versions.ts';
import { type LeadRecord, mergeLeads } from './queries.ts';

/**
 * Makes the loser a part of the lead, which must have one of these versions. Throws `not_found`, `unprocessable` for a loser that is not
 * there or the lead itself, and what Postgres says of a version that it has not.
 */
export async function mergeLead(
  { write }: Context,
  leadId: string,
  loserId: string,
  versions: EntityTags | undefined,
): Promise<LeadRecord> {
  // The version is checked by the statement itself, since both leads are held in one order, whichever is the winner.
  const rows = await withDomainErrors(write((sql) => mergeLeads(sql, leadId, loserId, timesIn(versions))));
  return oneRow(rows).record;
}
