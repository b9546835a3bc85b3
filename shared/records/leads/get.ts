import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { type LeadWithHistory, selectLead } from './queries.ts';

/** The lead with its history, newest first. Throws `not_found`. */
export async function getLead({ read, tenantId }: Context, leadId: string): Promise<LeadWithHistory> {
  const [rows] = await withDomainErrors(read((sql) => [selectLead(sql, tenantId, leadId)]));
  return oneRow(rows).record;
}
