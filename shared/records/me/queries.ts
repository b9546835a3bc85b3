// SQL of what persons read and change of themselves. The functions are in database/access/own-records.sql.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import { type PointEntryRecord, pointEntryRecord } from '../gamification/queries.ts';
import type { UserRecord } from '../users/queries.ts';
import type { MeChange, OwnBadgeResponse, OwnChallengeResponse, OwnMissionResponse } from './schema.ts';

/** The person as stored. */
type StoredMe = UserRecord & {
  /** Changes with every change of the record, including the opt-out. */
  version: string;
  tenant: { id: string; slug: string; name: string; time_zone: string };
  access: string | null;
  next_tier: { name: string; min_points: number } | null;
  position: number | null;
  standings_opt_out: boolean;
};
/** The person with the scopes of the token. */
export type MeRecord = StoredMe & { scopes: readonly string[] };

interface Named {
  id: string;
  name: string;
}
export type OwnPointEntryRecord = PointEntryRecord & {
  activity: { code: string; external_id: string; occurred_at: string } | null;
  /** Type and details of the event, as long as it is stored. */
  event: { type: string; stage: string | null } | null;
  /** Type of the logged activity. */
  logged: string | null;
  /** Own records. */
  deal: Named | null;
  lead: Named | null;
  challenge: Named | null;
  /** In the calendar of the tenant, such as 2 Mar 2026. */
  day: string;
};
export type OwnBadgeRecord = OwnBadgeResponse;
export type OwnChallengeRecord = OwnChallengeResponse;
export type OwnMissionRecord = OwnMissionResponse;

/** Raises `user_missing`. */
export const selectMe = (sql: Sql, userId: string): Statement<{ record: StoredMe }> =>
  sql`select coalesce(app.own_record(${userId}), app.raise_domain_error('user_missing')) as record`;

/** Raises `user_missing`, and `preconditionFailed` if the record has none of these versions; null accepts any. */
export const updateMe = (
  sql: Sql,
  userId: string,
  change: MeChange,
  versions: readonly string[] | null,
): Fragment =>
  sql`select app.change_own_record(${userId}, ${JSON.stringify(change)}::jsonb, ${versions}::text[])`;

/** A point entry `r` of the person with what caused it. Other people's deals and leads are left out. */
export const ownPointEntryRecord = (sql: Sql, userId: string): Fragment => sql`(
  select ${pointEntryRecord(sql)} || jsonb_build_object(
    'activity', (
      select jsonb_build_object('code', a.activity_code, 'external_id', a.external_id, 'occurred_at', a.occurred_at)
      where a.id is not null),
    'event', (select jsonb_build_object('type', v.type, 'stage', d.data -> 'stage' -> 'name') where v.id is not null),
    'logged', l.type,
    'challenge', (
      select jsonb_build_object('id', d.data -> 'challenge' -> 'id', 'name', d.data -> 'challenge' -> 'name')
      where v.type = 'challenge.completed'),
    'deal', (
      select jsonb_build_object('id', o.id, 'name', o.name) from public.deals o
      where o.tenant_id = r.tenant_id and o.owner_id = ${userId}
        and o.id = coalesce(l.deal_id, case when v.type like 'deal.%' then (d.data ->> 'id')::uuid end)),
    'lead', (
      select jsonb_build_object('id', o.id, 'name', o.name) from public.leads o
      where o.tenant_id = r.tenant_id and o.owner_id = ${userId}
        and o.id = coalesce(l.lead_id, case when v.type like 'lead.%' then (d.data ->> 'id')::uuid end)),
    'day', to_char(coalesce(a.occurred_at, r.created_at) at time zone t.time_zone, 'FMDD Mon YYYY'))
  from public.tenants t
  left join public.activities a      on a.tenant_id = r.tenant_id and a.id = r.activity_id
  left join public.deal_activities l on l.tenant_id = r.tenant_id and l.id = r.deal_activity_id
  left join public.events v          on v.tenant_id = r.tenant_id and v.id = r.event_id
  left join lateral (select app.event_data(v) as data where v.id is not null) as d on true
  where t.id = r.tenant_id
)`;

export interface Page {
  page: number;
  perPage: number;
}

/** Lists with the person's progress. */
interface ProgressRecords {
  ownBadge: OwnBadgeRecord;
  ownChallenge: OwnChallengeRecord;
  ownMission: OwnMissionRecord;
}
export type ProgressList = keyof ProgressRecords;

const progressFunctions: Readonly<Record<ProgressList, string>> = {
  ownBadge: 'app.own_badges',
  ownChallenge: 'app.own_challenges',
  ownMission: 'app.own_missions',
};

/** A page of a list, in its fixed order. */
export const selectProgress = <L extends ProgressList>(
  sql: Sql,
  list: L,
  userId: string,
  { page, perPage }: Page,
): Statement<{ records: ProgressRecords[L][]; total: string }> => sql`
  select p.records, p.total
  from ${sql(progressFunctions[list])}(${userId}, ${perPage}::integer, ${(page - 1) * perPage}::bigint) as p`;

/** Raises `lead_missing` or `deal_missing` unless the record is the person's. */
export const checkOwnLead = (sql: Sql, tenantId: string, userId: string, leadId: string): Fragment => sql`
  select coalesce(
    (select to_jsonb(l.id) from public.leads l where l.tenant_id = ${tenantId} and l.id = ${leadId} and l.owner_id = ${userId}),
    app.raise_domain_error('lead_missing')
  )`;

export const checkOwnDeal = (sql: Sql, tenantId: string, userId: string, dealId: string): Fragment => sql`
  select coalesce(
    (select to_jsonb(d.id) from public.deals d where d.tenant_id = ${tenantId} and d.id = ${dealId} and d.owner_id = ${userId}),
    app.raise_domain_error('deal_missing')
  )`;
