// SQL of the table `balance_transactions`, which is only ever read here: entries are written by trigger and by admins.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { OwnConditions } from '../../platform/lists/keyset-list.ts';
import type { LedgerEntryRow } from './serialize.ts';

export type LedgerEntryJson = { entry: LedgerEntryRow };

export const ledgerListSource = (sql: Sql): Fragment =>
  sql`select to_jsonb(b) - 'reason' as entry from public.balance_transactions b`;

export function selectLedgerEntry(sql: Sql, tenantId: string, id: string): Statement<LedgerEntryJson> {
  return sql`${ledgerListSource(sql)} where tenant_id = ${tenantId} and id = ${id}`;
}

/** `period`, whose value is the first day of a month: the month in the tenant's time zone. */
export const ledgerConditions = (tenantId: string): OwnConditions => ({
  period(sql, { value }) {
    const start = (months: number) => sql`
      ((${value}::date + make_interval(months => ${months}))::timestamp at time zone
        (select t.time_zone from public.tenants t where t.id = ${tenantId}))`;
    return sql`created >= ${start(0)} and created < ${start(1)}`;
  },
});
