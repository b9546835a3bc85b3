// SQL of ledger exports.
import type { Fragment, Sql, Statement } from '../../../platform/db/database.ts';
import type { Condition } from '../../../platform/lists/filters.ts';
import { whereAll } from '../../../platform/lists/keyset-list.ts';
import { counterpartyOf, ledgerConditions, monthStart } from '../queries.ts';
import type { LedgerEntryRow } from '../serialize.ts';
import type { ExportOptions } from './options.ts';

const LEASE_SECONDS = 60;
/** Renews the lease three times before it ends. */
export const RENEW_MS = (LEASE_SECONDS * 1000) / 4;

/** The content of an export, as of one moment. */
export interface ExportPlan {
  /** False if the tenant already has `MAX_RUNNING` exports. The other members are then null. */
  claimed: boolean;
  time_zone: string;
  slug: string;
  now: string;
  /** Ids of the entries, oldest first; at most one more than allowed. */
  ids: string[] | null;
  /** Net of the ledger in the currency at the end of the period, as a `bigint`. Only for OFX. */
  balance: string | null;
}

interface PlanLimits {
  exportId: string;
  maxRunning: number;
  maxEntries: number;
}

/** Claims one of the tenant's exports and selects the entries. A single statement, so that everything is of one moment. */
export const planExport = (
  sql: Sql,
  tenantId: string,
  { format, currency, conditions }: ExportOptions,
  { exportId, maxRunning, maxEntries }: PlanLimits,
): Statement<ExportPlan> => {
  const where = whereAll(sql, tenantId, conditions, ledgerConditions(tenantId));
  const balance = format === 'ofx' ? balanceAt(sql, tenantId, currency, conditions) : sql`select null::text`;
  return sql`
    with export as materialized (
      select app.claim_ledger_export(${exportId}::uuid, ${maxRunning}, ${LEASE_SECONDS}) as claimed
    )
    select x.claimed, t.time_zone, t.slug, now()::text as now,
           case when x.claimed then (
             select coalesce(jsonb_agg(e.id order by e.id), '[]')
             from (select id from public.balance_transactions ${where} order by id limit ${maxEntries + 1}) as e
           ) end as ids,
           case when x.claimed then (${balance}) end as balance
    from public.tenants t cross join export x
    where t.id = ${tenantId}`;
};

/** The whole ledger's net minus the entries after the end of the period. */
function balanceAt(sql: Sql, tenantId: string, currency: string, conditions: readonly Condition[]): Fragment {
  const after = conditions.reduce<Fragment>((all, { op, column, value }) => {
    if (op === 'period') return sql`${all} or created >= ${monthStart(sql, tenantId, value, 1)}`;
    return op === 'lte' && column === 'created' ? sql`${all} or created > ${value}` : all;
  }, sql`false`);
  return sql`
    select sum(m.net)::text
    from (
      select k.value::bigint as net from public.ledger_sums s, jsonb_each_text(s.net) as k
      where s.tenant_id = ${tenantId} and k.key = ${currency}
      union all
      select u.net from app.unsummed_entries(${tenantId}, 'infinity', 'infinity') as u where u.currency = ${currency}
      union all
      select -net from public.balance_transactions
      where tenant_id = ${tenantId} and currency = ${currency} and (${after})
      union all
      select 0
    ) as m`;
}

/** An entry with its time in the tenant's time zone. */
export interface ExportedEntry {
  entry: LedgerEntryRow & { refund_id?: string | null };
  /** `YYYY-MM-DDTHH:MM:SS`. */
  local_time: string;
  offset_minutes: number;
  /** Name of the payer or the beneficiary. */
  counterparty: string | null;
}

export const selectExportedEntries = (
  sql: Sql,
  tenantId: string,
  timeZone: string,
  ids: readonly string[],
): Statement<ExportedEntry> => sql`
  select to_jsonb(b) as entry, to_char(b.created at time zone ${timeZone}, 'YYYY-MM-DD"T"HH24:MI:SS') as local_time,
         (extract(epoch from (b.created at time zone ${timeZone}) - (b.created at time zone 'UTC')) / 60)::integer as offset_minutes,
         ${counterpartyOf(sql)} as counterparty
  from public.balance_transactions b
  where b.tenant_id = ${tenantId} and b.id in (select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))
  order by b.id`;

export const renewExport = (sql: Sql, exportId: string): Fragment =>
  sql`select app.renew_ledger_export(${exportId}::uuid, ${LEASE_SECONDS})`;

export const endExport = (sql: Sql, exportId: string): Fragment =>
  sql`select app.end_ledger_export(${exportId}::uuid)`;
