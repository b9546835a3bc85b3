// SQL for the reconciliation: statement lines and unexplained differences.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import { applyOrderReport, type LookupResult, type OrderTable } from '../orders/queries.ts';
import type { ListedOrder, StatementLine } from '../providers/accounts.ts';
import type { PayoutReport } from '../providers/payout-port.ts';

/** `ourId`: our id of the order, if known. */
export const enterStatementLines = (
  sql: Sql,
  accountId: string,
  lines: readonly (StatementLine & { ourId: string | undefined })[],
): Fragment[] => {
  const reasons = lines.map(({ id, orderReason: reason }) => ({ id, reason })).filter(({ reason }) => reason);
  return [
    sql`select app.enter_statement_lines(${accountId}, ${JSON.stringify(lines)}::jsonb)`,
    sql`select app.record_line_reasons(${accountId}, ${JSON.stringify(reasons)}::jsonb)`,
  ];
};

type NamedOrder = Pick<MismatchedOrder, 'kind' | 'provider_reference'>;

/** The names of orders as JSON, without their amounts. */
export const namesOf = (orders: readonly NamedOrder[]): string =>
  JSON.stringify(orders, ['kind', 'provider_reference'] satisfies (keyof NamedOrder)[]);

/** Enters the statement lines of these orders that their reports do not cover, each once. */
export const enterUncoveredLines = (sql: Sql, accountId: string, orders: readonly NamedOrder[]): Fragment =>
  sql`select app.enter_uncovered_lines(${accountId}, ${namesOf(orders)}::jsonb)`;

export interface MismatchedOrder {
  kind: 'charge' | 'payout';
  /** Null if we do not have the order. */
  id: string | null;
  provider_reference: string;
  currency: string;
  /** `bigint`, which the driver returns as a string. */
  ours: string;
  theirs: string;
  /** Whether the order is unfinished. Its money may still be in flight, so a mismatch is not a difference yet. */
  under_way: boolean;
}

/** Compares the next `atMost` changes. Returns the orders whose ledger amount differs from the statement. */
export const selectMismatchedOrders = (
  sql: Sql,
  accountId: string,
  atMost: number,
): Statement<MismatchedOrder> =>
  sql`select kind, id, provider_reference, currency, ours, theirs, under_way from app.uneven_orders(${accountId}, ${atMost})`;

/** Returns those of `orders` and of all open differences whose amounts still differ. */
export const selectStillMismatched = (
  sql: Sql,
  accountId: string,
  orders: readonly NamedOrder[],
): Statement<MismatchedOrder> => sql`
  select kind, id, provider_reference, currency, ours, theirs, under_way
  from app.uneven_again(${accountId}, ${namesOf(orders)}::jsonb)`;

/** Whether some changes have not been compared yet. */
export const hasOrdersToCompare = (sql: Sql, accountId: string): Statement<{ left: boolean }> =>
  sql`select app.has_orders_to_compare(${accountId}) as left`;

export interface MissingOrder {
  kind: 'charge' | 'payout';
  id: string;
  status: string;
}

/** Orders of the listed period, which starts at `since`, that the provider should have listed but did not. */
export const selectMissingOrders = (
  sql: Sql,
  accountId: string,
  since: Date,
  listed: Readonly<Record<'charge' | 'payout', readonly string[]>>,
): Statement<MissingOrder> => {
  // Passed as JSON: for an array, the driver would first query its type in the middle of the transaction.
  const namesOf = (kind: 'charge' | 'payout') =>
    sql`select jsonb_array_elements_text(${JSON.stringify(listed[kind])}::jsonb)`;
  return sql`
    select 'charge' as kind, id, status from public.invoices
    where tenant_id = (select tenant_id from public.provider_accounts where id = ${accountId})
      and provider_account_id = ${accountId} and created >= ${since.toISOString()} and created < now() - interval '10 minutes'
      and status in ('open', 'paid') and id not in (${namesOf('charge')})
      and coalesce(provider_reference, '') not in (${namesOf('charge')})
    union all
    select 'payout', id, status from public.payouts
    where tenant_id = (select tenant_id from public.provider_accounts where id = ${accountId})
      and provider_account_id = ${accountId} and created >= ${since.toISOString()} and created < now() - interval '10 minutes'
      and status in ('incoming_payment_waiting', 'processing', 'paid') and id not in (${namesOf('payout')})
      and coalesce(provider_reference, '') not in (${namesOf('payout')})`;
};

/** Our id of a listed order. Some providers list our reference, others only their own. */
const listedId = (
  sql: Sql,
  table: OrderTable,
  accountId: string,
  { reference, providerReference }: { reference: string | undefined; providerReference: string },
): Fragment => sql`
  coalesce(${reference ?? null}::text, (
    select o.id from ${sql(`public.${table}`)} o
    join public.provider_accounts a on a.tenant_id = o.tenant_id and a.id = o.provider_account_id
    where a.id = ${accountId} and o.provider_reference = ${providerReference}
    limit 1))`;

/**
 * Applies a listed order's report to our order. Returns our id and the outcome. If we never got the response to the order, schedules a
 * job that recovers it.
 */
export const applyListedOrder = (
  sql: Sql,
  table: OrderTable,
  accountId: string,
  lookupStartedAt: Date,
  { report, isPartial, ...names }: ListedOrder & { report: PayoutReport },
): Statement<{ id: string | null; outcome: LookupResult }> => {
  const id = listedId(sql, table, accountId, names);
  const order = { id, provider_account_id: accountId };
  return sql`
    with completed as (${recoverListed(sql, table, id, accountId)})
    select applied.outcome, ${id} as id
    from (${applyOrderReport(sql, table, order, lookupStartedAt, { ...report, isPartial })}) as applied`;
};

const recoverListed = (sql: Sql, table: OrderTable, id: Fragment, accountId: string): Fragment => sql`
  insert into public.jobs (tenant_id, name, key, payload)
  select t.tenant_id, 'recover-order', concat_ws(':', t.id, 'listed'), jsonb_build_object('table', ${table}::text, 'id', t.id)
  from ${sql(`public.${table}`)} t
  where t.id = ${id} and t.provider_account_id = ${accountId} and t.status = 'creating'
    and t.created < now() - interval '1 minute'
  on conflict (name, key) do nothing`;

export interface Difference {
  kind: 'unknown_order' | 'missing_order' | 'amount';
  subject: string;
  ours: object | null;
  theirs: object | null;
}

/** Records the differences found, each once, and resolves those that no longer exist. */
export const recordDifferences = (
  sql: Sql,
  accountId: string,
  differences: readonly Difference[],
): Fragment[] => {
  const found = JSON.stringify(differences);
  return [
    sql`
      update public.provider_differences d set resolved_at = now()
      where d.account_id = ${accountId} and d.resolved_at is null and d.kind not in ('second_transfer', 'refused_refund')
        and not exists (
          select from jsonb_to_recordset(${found}::jsonb) as f (kind text, subject text)
          where f.kind = d.kind and f.subject = d.subject)`,
    sql`
      insert into public.provider_differences as d (tenant_id, account_id, kind, subject, ours, theirs)
      select a.tenant_id, a.id, f.kind, f.subject, f.ours, f.theirs
      from public.provider_accounts a,
           jsonb_to_recordset(${found}::jsonb) as f (kind text, subject text, ours jsonb, theirs jsonb)
      where a.id = ${accountId}
      on conflict (account_id, kind, subject) where resolved_at is null do update
      set ours = excluded.ours, theirs = excluded.theirs`,
  ];
};

export const markReconciled = (sql: Sql, accountId: string): Fragment =>
  sql`update public.provider_accounts set reconciled_at = now() where id = ${accountId}`;
