import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { givenBy, newExternalIds, writeNamed } from '../external-ids.ts';
import { orDuplicateLead } from './duplicate-email.ts';
import { insertLead, type LeadRecord } from './queries.ts';
import { type NewLead, newLead } from './schema.ts';

export const columns = [...columnsOf(newLead, 'external_id'), 'external_ids'];

/** What is absent in a body, as it is stored. */
export const withDefaults = <L extends Omit<NewLead, 'external_id'>>(lead: L) => ({
  ...lead,
  custom_fields: lead.custom_fields ?? {},
  tags: lead.tags ?? [],
});

/**
 * Throws `conflict` with `existing_id` when the e-mail or the external id is taken, `unprocessable` for an owner or team that is not
 * there.
 */
export async function createLead(
  context: Context,
  { external_id: externalId, ...input }: NewLead,
): Promise<LeadRecord> {
  const given = givenBy(context, externalId);
  const lead = { ...withDefaults(input), ...newExternalIds(given) };
  const rows = await orDuplicateLead(
    context,
    lead.email,
    writeNamed(context, 'leads', given, (sql) => insertLead(sql, context.tenantId, columns, lead)),
  );
  return oneRow(rows).record;
}
