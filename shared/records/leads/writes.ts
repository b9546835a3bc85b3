// Writing leads; loaded with the first request that needs it, so that a function starts quickly.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { brokenConstraint } from '../../platform/db/sql-errors.ts';
import type { EntityTags } from '../../platform/entity-tags.ts';
import { ApiError, valueOrApiError } from '../../platform/errors.ts';
import { type BatchKind, batchMethods } from '../batch/batch.ts';
import { type DealRecord, insertDealOfLead } from '../deals/queries.ts';
import { asDomainError, duplicateLead, unprocessable, withDomainErrors } from '../domain-errors.ts';
import { externalIdInput, newExternalIds, writeWithExternalId } from '../external-ids.ts';
import { foundId, shouldCreate, type Upsert, type Upserted, upsert } from '../upsert.ts';
import { timesIn } from '../versions.ts';
import {
  deleteLead as deleteRow,
  insertLead,
  type LeadRecord,
  lockUnconvertedLead,
  markConverted,
  mergeLeads,
  selectLeadIdByEmail,
  updateLead as updateRow,
} from './queries.ts';
import { type Conversion, type LeadChange, leadChange, type NewLead, newLead } from './schema.ts';
import { FINAL_LEAD_STATUS } from './states.ts';

export { conversion, leadChange, merging, newLead } from './schema.ts';

const newLeadColumns = [...columnsOf(newLead, 'external_id'), 'external_ids'];

/** What is absent in a body, as it is stored. */
export const withLeadDefaults = <L extends Omit<NewLead, 'external_id'>>(lead: L) => ({
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
  const given = externalIdInput(context, externalId);
  const lead = { ...withLeadDefaults(input), ...newExternalIds(given) };
  const rows = await orDuplicateLead(
    context,
    lead.email,
    writeWithExternalId(context, 'leads', given, (sql) =>
      insertLead(sql, context.tenantId, newLeadColumns, lead),
    ),
  );
  return oneRow(rows).record;
}

const leadChangeColumns = columnsOf(leadChange, 'external_id');

/** The change; throws `unprocessable` for a status that cannot be set. */
function checkStatus(change: LeadChange): LeadChange {
  if (change.status !== FINAL_LEAD_STATUS) return change;
  throw unprocessable('status', `cannot be set to ${FINAL_LEAD_STATUS}; convert the lead instead`);
}

/** Changes what is given. Throws `not_found`, `conflict`, and `unprocessable` also for a status that cannot be set. */
export async function updateLead(context: Context, leadId: string, asked: LeadChange): Promise<LeadRecord> {
  const { external_id: externalId, ...change } = checkStatus(asked);
  const given = externalIdInput(context, externalId);
  const rows = await orDuplicateLead(
    context,
    change.email ?? '',
    writeWithExternalId(context, 'leads', given, (sql) =>
      updateRow(sql, context.tenantId, leadId, leadChangeColumns, change, given),
    ),
  );
  return oneRow(rows).record;
}

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
    bodies: {
      create,
      change: change instanceof ApiError ? change : valueOrApiError(() => checkStatus(change)),
    },
    source: 'leads',
    change: (sql, { external_id: _same, ...members }, given) =>
      updateRow(sql, tenantId, foundId(sql), leadChangeColumns, members, given),
    create(sql, { external_id: _same, ...members }, given) {
      const lead = { ...withLeadDefaults(members), ...newExternalIds(given) };
      return insertLead(sql, tenantId, newLeadColumns, lead, shouldCreate(sql));
    },
  });
  return orDuplicateLead(context, email ?? '', upserted);
}

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

/** Removes it with its history; its deals stay, without a lead. Throws `not_found`. */
export async function deleteLead({ write, tenantId }: Context, leadId: string): Promise<void> {
  await withDomainErrors(write((sql) => deleteRow(sql, tenantId, leadId)));
}

export const leadBatch: BatchKind = {
  source: 'leads',
  methods: batchMethods,
  columns: { created: newLeadColumns, changed: leadChangeColumns },
  create: (read) => withLeadDefaults(read(newLead)),
  change: (read) => checkStatus(read(leadChange)),
};

/** Waits for work that may meet another lead with this e-mail. Throws `conflict` with that one's id. */
async function orDuplicateLead<T>(context: Context, email: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (brokenConstraint(error) !== 'leads_tenant_id_email_key') throw asDomainError(error);
    const [existing] = await context.read((sql) => selectLeadIdByEmail(sql, context.tenantId, email));
    throw duplicateLead(existing?.id);
  }
}
