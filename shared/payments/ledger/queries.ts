// SQL for the table `balance_transactions`. Read-only here: triggers and admins write the entries (database/payments/ledger.sql).
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { CustomConditions } from '../../platform/lists/keyset-list.ts';
import type { BalanceResponse } from './schema.ts';
import type { NamedLedgerEntry } from './serialize.ts';

/** Name of the payer of an entry's invoice, or of the beneficiary of its payout. */
export const counterpartyOf = (sql: Sql): Fragment => sql`coalesce(
  (select i.customer ->> 'name' from public.invoices i where i.tenant_id = b.tenant_id and i.id = b.invoice_id),
  (select p.beneficiary ->> 'name' from public.payouts p where p.tenant_id = b.tenant_id and p.id = b.payout_id))`;

export const ledgerListSource = (sql: Sql): Fragment => sql`
  select to_jsonb(b) || jsonb_build_object('counterparty', ${counterpartyOf(sql)}) as snapshot
  from public.balance_transactions b`;

export function selectLedgerEntry(
  sql: Sql,
  tenantId: string,
  id: string,
): Statement<{ snapshot: NamedLedgerEntry }> {
  return sql`${ledgerListSource(sql)} where tenant_id = ${tenantId} and id = ${id}`;
}

/** The condition `period`: entries of a month in the tenant's time zone. The value is the first day of the month. */
export const ledgerConditions = (tenantId: string): CustomConditions => ({
  period: (sql, { value }) =>
    sql`created >= ${monthStart(sql, tenantId, value, 0)} and created < ${monthStart(sql, tenantId, value, 1)}`,
});

/** When a month begins in the tenant's time zone, or the month that is `monthsOn` later. */
export const monthStart = (sql: Sql, tenantId: string, month: string, monthsOn: number): Fragment => sql`
  ((${month}::date + make_interval(months => ${monthsOn}))::timestamp at time zone
    (select t.time_zone from public.tenants t where t.id = ${tenantId}))`;

/** The balance by currency, from the stored sums and the entries since. As JSON, so that sums arrive as numbers. */
export const selectBalance = (
  sql: Sql,
  tenantId: string,
): Statement<{ balance: BalanceResponse['data'][number] }> => sql`
  select jsonb_build_object(
           'currency', b.currency,
           'available', coalesce(sum(b.net) filter (where b.available_on <= today), 0),
           'pending', coalesce(sum(b.net) filter (where b.available_on > today), 0)) as balance
  from public.tenants t
  cross join lateral (select (now() at time zone t.time_zone)::date as today)
  cross join lateral (
    select k.key as currency, k.value::bigint as net, s.available_by as available_on
    from public.ledger_sums s, jsonb_each_text(s.net) as k
    where s.tenant_id = t.id
    union all
    select e.currency, e.net, e.available_on from app.unsummed_entries(t.id, 'infinity', 'infinity') as e
  ) as b
  where t.id = ${tenantId}
  group by b.currency
  order by b.currency`;
