import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { orDuplicateLead } from './duplicate-email.ts';
import { insertLead, type LeadRecord } from './queries.ts';
import { type NewLead, newLead } from './schema.ts';

const columns = columnsOf(newLead);

/** Throws `conflict` with `existing_id` when the e-mail is taken, `unprocessable` for an owner or team that is not there. */
export async function createLead(context: Context, input: NewLead): Promise<LeadRecord> {
  const lead = { ...input, custom_fields: input.custom_fields ?? {}, tags: input.tags ?? [] };
  const [rows] = await orDuplicateLead(
    context,
    lead.email,
    context.write((sql) => [insertLead(sql, context.tenantId, columns, lead)]),
  );
  return oneRow(rows).record;
}
