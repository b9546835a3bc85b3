import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { unprocessable } from '../domain-errors.ts';
import { orDuplicateLead } from './duplicate-email.ts';
import { type LeadRecord, updateLead as updateRow } from './queries.ts';
import { type LeadChange, leadChange } from './schema.ts';
import { FINAL_LEAD_STATUS } from './states.ts';

const columns = columnsOf(leadChange);

/** Changes what is given. Throws `not_found`, `conflict`, and `unprocessable` also for a status that cannot be set. */
export async function updateLead(context: Context, leadId: string, change: LeadChange): Promise<LeadRecord> {
  if (change.status === FINAL_LEAD_STATUS) {
    throw unprocessable('status', `cannot be set to ${FINAL_LEAD_STATUS}; convert the lead instead`);
  }
  const [rows] = await orDuplicateLead(
    context,
    change.email ?? '',
    context.write((sql) => [updateRow(sql, context.tenantId, leadId, columns, change)]),
  );
  return oneRow(rows).record;
}
