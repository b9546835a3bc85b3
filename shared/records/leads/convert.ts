import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { type DealRecord, insertDealOfLead } from '../deals/queries.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { type LeadRecord, lockUnconvertedLead, markConverted } from './queries.ts';
import type { Conversion } from './schema.ts';

/** Makes a deal of the lead, which is `converted` from then on. Throws `not_found`, `conflict` for one that is already. */
export async function convertLead(
  { write, tenantId }: Context,
  leadId: string,
  conversion: Conversion,
): Promise<{ lead: LeadRecord; deal: DealRecord }> {
  const converted = await withDomainErrors(
    write((sql) => ({
      lock: lockUnconvertedLead(sql, tenantId, leadId),
      lead: markConverted(sql, tenantId, leadId),
      deal: insertDealOfLead(sql, tenantId, leadId, conversion),
    })),
  );
  return { lead: oneRow(converted.lead).record, deal: oneRow(converted.deal).record };
}
