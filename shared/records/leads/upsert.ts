import type { Context } from '../../platform/context.ts';
import { ApiError } from '../../platform/errors.ts';
import { newExternalIds } from '../external-ids.ts';
import { foundId, isToBeMade, type Upsert, type Upserted, upsert } from '../upsert.ts';
import { columns as columnsOfNew, withDefaults } from './create.ts';
import { orDuplicateLead } from './duplicate-email.ts';
import { insertLead, type LeadRecord, updateLead as updateRow } from './queries.ts';
import type { LeadChange, NewLead } from './schema.ts';
import { checkStatus, columns } from './update.ts';

/**
 * Makes the lead that the caller calls so, or changes it. Throws what making and changing one do, and `precondition_failed`. A lead with
 * the same e-mail is another one: `conflict`.
 */
export function upsertLead(
  context: Context,
  asked: Upsert<NewLead, LeadChange>,
): Promise<Upserted<LeadRecord>> {
  const { create, change } = asked.bodies;
  const email = create instanceof ApiError ? (change instanceof ApiError ? '' : change.email) : create.email;
  const { tenantId } = context;
  const upserted = upsert<NewLead, LeadChange, LeadRecord>(context, {
    ...asked,
    bodies: { create, change: refusedStatus(change) },
    source: 'leads',
    change: (sql, { external_id: _same, ...members }, given) =>
      updateRow(sql, tenantId, foundId(sql), columns, members, given),
    create(sql, { external_id: _same, ...members }, given) {
      const lead = { ...withDefaults(members), ...newExternalIds(given) };
      return insertLead(sql, tenantId, columnsOfNew, lead, isToBeMade(sql));
    },
  });
  return orDuplicateLead(context, email ?? '', upserted);
}

function refusedStatus(change: LeadChange | ApiError): LeadChange | ApiError {
  try {
    if (!(change instanceof ApiError)) checkStatus(change);
    return change;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
