// Leads: creating, reading, changing, converting. SQL of the table `leads`; events follow from it by trigger.
import type { Context } from '../../platform/context.ts';
import type { Sql, Statement } from '../../platform/db/database.ts';
import { oneRow } from '../../platform/db/rows.ts';
import { ApiError } from '../../platform/errors.ts';
import { reasonOf, refusing } from '../domain-errors.ts';
import { changedFilters, exactly, id, type List, search, word } from '../list.ts';
import { stageIdOf } from '../stages/list.ts';
import type { Row } from '../variants/naming.ts';
import type { Conversion, LeadChange, NewLead } from './schema.ts';

export const leadList: List = {
  table: 'leads',
  filters: { ...changedFilters, status: word, source: exactly, owner_id: id, team_id: id, search },
  sorts: ['created_at', 'updated_at', 'name', 'email', 'status'],
  record: (sql) => sql`app.lead_record(r)`,
};

interface One {
  record: Row;
}

/** Gives the lead with its history, newest first. Throws `not_found`. */
export async function getLead({ transaction, tenantId }: Context, leadId: string): Promise<Row> {
  const [rows] = await refusing(
    transaction((sql) => [
      sql`
        select coalesce((
          select app.lead_record(l) || jsonb_build_object('activities', (
            select coalesce(jsonb_agg(to_jsonb(a) order by a.created_at desc, a.id desc), '[]')
            from public.deal_activities a
            where a.tenant_id = l.tenant_id and (a.lead_id = l.id or a.deal_id = any (array(
              select d.id from public.deals d where d.tenant_id = l.tenant_id and d.lead_id = l.id
            )))
          ))
          from public.leads l where l.tenant_id = ${tenantId} and l.id = ${leadId}
        ), app.raise_domain_error('lead_missing')) as record`,
    ]),
  );
  return oneRow<One>(rows).record;
}

/** Throws `conflict` with `existing_id` when the e-mail is taken, `unprocessable` for an owner or team that is not there. */
export async function createLead(context: Context, lead: NewLead): Promise<Row> {
  const { tenantId } = context;
  const [rows] = await orDuplicate(
    context,
    lead.email,
    context.write((sql) => [
      sql`
        insert into public.leads as l
          (tenant_id, name, email, phone, company, position, source, score, owner_id, team_id, custom_fields, tags)
        select ${tenantId}::uuid, r.name, r.email, r.phone, r.company, r.position, r.source, r.score, r.owner_id, r.team_id,
               coalesce(r.custom_fields, '{}'), coalesce(r.tags, '{}')
        from jsonb_populate_record(null::public.leads, ${JSON.stringify(lead)}::jsonb) as r
        returning app.lead_record(l) as record`,
    ]),
  );
  return oneRow<One>(rows).record;
}

/** Changes what is given. Throws `not_found`, `conflict`, and `unprocessable` also for a status that cannot be set. */
export async function changeLead(context: Context, leadId: string, change: LeadChange): Promise<Row> {
  if (change.status === 'converted') {
    const message = 'cannot be set to converted; convert the lead instead';
    throw new ApiError('unprocessable', 'This cannot be done with these values.', {
      details: [{ field: 'status', message }],
    });
  }
  const changes = JSON.stringify(change);
  const [rows] = await orDuplicate(
    context,
    change.email ?? '',
    context.write((sql) => [
      sql`
        with found as (
          select l.id, l.status = 'converted' and ${change.status !== undefined} as stuck
          from public.leads l where l.tenant_id = ${context.tenantId} and l.id = ${leadId}
          for no key update
        ), changed as (
          update public.leads l
          set (name, email, phone, company, position, source, status, score, owner_id, team_id, custom_fields, tags) = (
            select r.name, r.email, r.phone, r.company, r.position, r.source, r.status, r.score, r.owner_id, r.team_id,
                   r.custom_fields, r.tags
            from jsonb_populate_record(l, ${changes}::jsonb) as r
          )
          from found
          where l.tenant_id = ${context.tenantId} and l.id = found.id and not found.stuck
          returning app.lead_record(l) as record
        )
        select coalesce(
          (select record from changed),
          app.raise_domain_error(case when exists (select from found) then 'lead_stays_converted' else 'lead_missing' end)
        ) as record`,
    ]),
  );
  return oneRow<One>(rows).record;
}

/** Removes it with its history; its deals stay, without a lead. Throws `not_found`. */
export async function deleteLead({ write, tenantId }: Context, leadId: string): Promise<void> {
  await refusing(
    write((sql) => [
      sql`
        with gone as (delete from public.leads where tenant_id = ${tenantId} and id = ${leadId} returning 1)
        select coalesce((select to_jsonb(1) from gone), app.raise_domain_error('lead_missing'))`,
    ]),
  );
}

/** Makes a deal of the lead, which is `converted` from then on. Throws `not_found`, `conflict` for one that is already. */
export async function convertLead(
  context: Context,
  leadId: string,
  conversion: Conversion,
): Promise<{ lead: Row; deal: Row }> {
  const { tenantId } = context;
  const { deal_name: name, deal_value: value, expected_close_date: closeDate } = conversion;
  const [, lead, deal] = await refusing(
    context.write((sql) => [
      lockOpenLead(sql, tenantId, leadId),
      sql`
        update public.leads l set status = 'converted'
        where l.tenant_id = ${tenantId} and l.id = ${leadId}
        returning app.lead_record(l) as record`,
      sql`
        insert into public.deals as d
          (tenant_id, name, value, stage_id, contact_name, contact_email, company, owner_id, expected_close_date, lead_id)
        select l.tenant_id, coalesce(${name ?? null}::text, l.name), ${value ?? 0}::double precision,
               ${stageIdOf(sql, tenantId, conversion)},
               l.name, l.email, l.company, l.owner_id, ${closeDate ?? null}::date, l.id
        from public.leads l where l.tenant_id = ${tenantId} and l.id = ${leadId}
        returning app.deal_record(d) as record`,
    ]),
  );
  return { lead: oneRow<One>(lead).record, deal: oneRow<One>(deal).record };
}

function lockOpenLead(sql: Sql, tenantId: string, leadId: string): Statement {
  return sql`
    with found as (
      select l.status from public.leads l where l.tenant_id = ${tenantId} and l.id = ${leadId} for no key update
    )
    select case
      when not exists (select from found) then app.raise_domain_error('lead_missing')
      when (select status from found) = 'converted' then app.raise_domain_error('lead_converted')
    end`;
}

async function orDuplicate<T>(context: Context, email: string, work: Promise<T>): Promise<T> {
  try {
    return await refusing(work);
  } catch (error) {
    if (reasonOf(error) !== 'leads_tenant_id_email_key') throw error;
    const [rows] = await context.transaction((sql) => [
      sql`select id from public.leads where tenant_id = ${context.tenantId} and email = ${email}`,
    ]);
    const existing: string | undefined = rows?.[0]?.id;
    throw new ApiError('conflict', 'There is a lead with this e-mail already.', {
      details: [{ field: 'email', message: 'belongs to another lead' }],
      reason: 'duplicate_email',
      ...(existing && { extra: { existing_id: existing } }),
    });
  }
}
