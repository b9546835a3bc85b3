import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { unprocessable } from '../domain-errors.ts';
import { givenBy, writeNamed } from '../external-ids.ts';
import { orDuplicateLead } from './duplicate-email.ts';
import { type LeadRecord, updateLead as updateRow } from './queries.ts';
import { type LeadChange, leadChange } from './schema.ts';
import { FINAL_LEAD_STATUS } from './states.ts';

export const columns = columnsOf(leadChange, 'external_id');

/** Throws `unprocessable` for a status that cannot be set. */
export function checkStatus({ status }: Pick<LeadChange, 'status'>): void {
  if (status !== FINAL_LEAD_STATUS) return;
  throw unprocessable('status', `cannot be set to ${FINAL_LEAD_STATUS}; convert the lead instead`);
}

/** Changes what is given. Throws `not_found`, `conflict`, and `unprocessable` also for a status that cannot be set. */
export async function updateLead(
  context: Context,
  leadId: string,
  { external_id: externalId, ...change }: LeadChange,
): Promise<LeadRecord> {
  checkStatus(change);
  const given = givenBy(context, externalId);
  const rows = await orDuplicateLead(
    context,
    change.email ?? '',
    writeNamed(context, 'leads', given, (sql) =>
      updateRow(sql, context.tenantId, leadId, columns, change, given),
    ),
  );
  return oneRow(rows).record;
}
