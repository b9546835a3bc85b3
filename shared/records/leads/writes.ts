// Writes leads.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/sql.ts';
import { violatedConstraint } from '../../platform/db/sql-errors.ts';
import type { EntityTags } from '../../platform/entity-tags.ts';
import { ApiError, valueOrApiError } from '../../platform/errors.ts';
import { type BatchKind, batchMethods } from '../batch/batch.ts';
import { type DealRecord, insertDealOfLead } from '../deals/queries.ts';
import { asDomainError, duplicateLead, unprocessable, withDomainErrors } from '../domain-errors.ts';
import { newExternalIds, writeWithExternalId } from '../external-ids.ts';
import { foundId, shouldCreate, type Upsert, type Upserted, upsert } from '../upsert.ts';
import { versionArrayOf } from '../versions.ts';
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

/** Fills in the defaults of absent members. */
const withLeadDefaults = <L extends Omit<NewLead, 'external_id'>>(lead: L) => ({
  ...lead,
  custom_fields: lead.custom_fields ?? {},
  tags: lead.tags ?? [],
});

/**
 * Creates a lead. Throws `conflict` with `existing_id` if the email address or the external id is taken, and `unprocessable` if the owner or
 * team does not exist.
 */
export async function createLead(
  context: Context,
  { external_id: externalId, ...input }: NewLead,
): Promise<LeadRecord> {
  const lead = withLeadDefaults(input);
  const rows = await orDuplicateLead(
    context,
    lead.email,
    writeWithExternalId(context, 'leads', externalId, (sql, externalIds) =>
      insertLead(sql, context.tenantId, newLeadColumns, { ...lead, ...newExternalIds(externalIds) }),
    ),
  );
  return oneRow(rows).record;
}

const leadChangeColumns = columnsOf(leadChange, 'external_id');

/** Returns the change. Throws `unprocessable` if its status cannot be set directly. */
function checkStatus(change: LeadChange): LeadChange {
  if (change.status !== FINAL_LEAD_STATUS) return change;
  throw unprocessable('status', `cannot be set to ${FINAL_LEAD_STATUS}; convert the lead instead`);
}

/** Updates the members in the request. Throws `not_found`, `conflict` and `unprocessable`. */
export async function updateLead(context: Context, leadId: string, input: LeadChange): Promise<LeadRecord> {
  const { external_id: externalId, ...change } = checkStatus(input);
  const rows = await orDuplicateLead(
    context,
    change.email ?? '',
    writeWithExternalId(context, 'leads', externalId, (sql, externalIds) =>
      updateRow(sql, context.tenantId, leadId, leadChangeColumns, change, externalIds),
    ),
  );
  return oneRow(rows).record;
}

/**
 * Creates or updates the lead with an external id. Throws like `createLead` and `updateLead`, and `precondition_failed`. Throws
 * `conflict` if a lead without this external id has the email address.
 */
export function upsertLead(
  context: Context,
  request: Upsert<NewLead, LeadChange>,
): Promise<Upserted<LeadRecord>> {
  const { create, change } = request.bodies;
  const email = create instanceof ApiError ? (change instanceof ApiError ? '' : change.email) : create.email;
  const { tenantId } = context;
  const upserted = upsert<NewLead, LeadChange, LeadRecord>(context, {
    ...request,
    bodies: {
      create,
      change: change instanceof ApiError ? change : valueOrApiError(() => checkStatus(change)),
    },
    source: 'leads',
    change: (sql, { external_id: _externalId, ...members }, externalIds) =>
      updateRow(sql, tenantId, foundId(sql), leadChangeColumns, members, externalIds),
    create(sql, { external_id: _externalId, ...members }, externalIds) {
      const lead = { ...withLeadDefaults(members), ...newExternalIds(externalIds) };
      return insertLead(sql, tenantId, newLeadColumns, lead, shouldCreate(sql));
    },
  });
  return orDuplicateLead(context, email ?? '', upserted);
}

/** Creates a deal from the lead and sets the lead to `converted`. Throws `not_found`, and `conflict` if it is already converted. */
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
 * Merges the loser into the lead, which must have one of these versions. Throws `not_found`, `unprocessable` if the loser does not exist
 * or is the lead itself, and the SQL error `preconditionFailed`.
 */
export async function mergeLead(
  { write }: Context,
  leadId: string,
  loserId: string,
  versions: EntityTags | undefined,
): Promise<LeadRecord> {
  // The statement checks the version itself, because both leads must be locked in a fixed order whichever one is the winner.
  const rows = await withDomainErrors(
    write((sql) => mergeLeads(sql, leadId, loserId, versionArrayOf(versions))),
  );
  return oneRow(rows).record;
}

/** Deletes the lead and its activities. Its deals remain, without a lead. Throws `not_found`. */
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

/** Awaits work that fails if another lead has the email address. Throws `conflict` with the id of that lead. */
const orDuplicateLead = <T>(context: Context, email: string, work: Promise<T>): Promise<T> =>
  work.catch(async (error: unknown) => {
    if (violatedConstraint(error) !== 'leads_tenant_id_email_key') throw asDomainError(error);
    const [existing] = await context.read((sql) => selectLeadIdByEmail(sql, context.tenantId, email));
    throw duplicateLead(existing?.id);
  });
