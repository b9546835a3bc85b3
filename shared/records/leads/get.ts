import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { keyIn, type RecordKey } from '../external-ids.ts';
import { type LeadWithHistory, selectLead } from './queries.ts';

/** The lead with its history, newest first. Throws `not_found`. */
export async function getLead(context: Context, lead: RecordKey): Promise<LeadWithHistory> {
  const rows = await withDomainErrors(
    context.read((sql) => selectLead(sql, context.tenantId, keyIn(sql, context, 'leads', lead))),
  );
  return oneRow(rows).record;
}
