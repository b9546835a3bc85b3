// SQL of routes, approval rules, cost centers and payouts in the admin API.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import {
  all,
  contains,
  equals,
  type Page,
  type Paging,
  type Shown,
  selectPage,
  selectShown,
} from '../statements.ts';

type Row = { record: Record<string, unknown> };

// Routes and approval rules ---------------------------------------------------------------------------------------------

interface RouteKey {
  kind: string;
  region: string;
  currency: string;
  method: string | null;
}

const isRoute = (sql: Sql, { kind, region, currency, method }: RouteKey): Fragment =>
  sql`r.kind = ${kind} and r.region = ${region} and r.currency = ${currency} and r.method is not distinct from ${method}`;

/** The routes that apply to the tenant, or the one of a key; its own replace defaults. */
export const selectRoutes = (sql: Sql, tenantId: string, key?: RouteKey): Statement<Row> => sql`
  select json_build_object(
    'kind', r.kind, 'region', r.region, 'currency', r.currency, 'method', r.method,
    'providers', json_agg(r.provider order by r.preference), 'is_default', r.tenant_id is null) as record
  from public.provider_routes r
  where (r.tenant_id = ${tenantId} or r.tenant_id is null and not exists (
      select from public.provider_routes o
      where o.tenant_id = ${tenantId} and (o.kind, o.region, o.currency) = (r.kind, r.region, r.currency) and o.method is not distinct from r.method))
    and ${key ? isRoute(sql, key) : sql`true`}
  group by r.kind, r.region, r.currency, r.method, r.tenant_id
  order by r.kind, r.region, r.currency, r.method nulls first`;

export const routeExists = (sql: Sql, tenantId: string, key: RouteKey): Fragment =>
  sql`exists (select from public.provider_routes r where r.tenant_id = ${tenantId} and ${isRoute(sql, key)})`;

export const setRoute = (
  sql: Sql,
  { kind, region, currency, method }: RouteKey,
  providers: readonly string[],
): Fragment => sql`select app.set_provider_route(${kind}, ${region}, ${currency}, ${method}, ${providers})`;

export const selectApprovalRules = (sql: Sql, tenantId: string): Statement<Record<string, unknown>> => sql`
  select r.currency, r.above_amount::float8 as above_amount from public.payout_approval_rules r
  where r.tenant_id = ${tenantId} order by r.currency`;

export const approvalRuleExists = (sql: Sql, tenantId: string, currency: string): Fragment =>
  sql`exists (select from public.payout_approval_rules r where r.tenant_id = ${tenantId} and r.currency = ${currency})`;

export const setApprovalRule = (sql: Sql, currency: string, above: number | null): Fragment =>
  sql`select app.set_payout_approval_rule(${currency}, ${above})`;

// Cost centers ----------------------------------------------------------------------------------------------------------

const costCenterRecord = (sql: Sql): Fragment => sql`json_build_object(
  'code', r.code, 'name', r.name, 'is_default', r.is_default, 'created_at', app.format_utc(r.created_at))`;

export const selectCostCenters = (sql: Sql, tenantId: string, paging: Paging): Statement<Page> =>
  selectPage(
    sql,
    {
      rows: sql`public.cost_centers r`,
      where: sql`r.tenant_id = ${tenantId} and ${contains(sql, sql`concat_ws(chr(10), r.code, r.name)`, paging)}`,
      record: costCenterRecord(sql),
      name: sql`r.code collate "und-x-icu"`,
      key: sql`r.code`,
    },
    paging,
  );

export const selectCostCenter = (sql: Sql, tenantId: string, code: string): Statement<Shown> =>
  selectShown(sql, {
    record: costCenterRecord(sql),
    rows: sql`public.cost_centers r`,
    where: sql`r.tenant_id = ${tenantId} and r.code = ${code}`,
  });

export const costCenterExists = (sql: Sql, tenantId: string, code: string): Fragment =>
  sql`exists (select from public.cost_centers r where r.tenant_id = ${tenantId} and r.code = ${code})`;

export const setCostCenter = (sql: Sql, code: string, name: string, isDefault: boolean): Fragment =>
  sql`select app.register_cost_center(${code}, ${name}, ${isDefault})`;

// Payouts and balances --------------------------------------------------------------------------------------------------

const payoutRecord = (sql: Sql): Fragment => sql`json_build_object(
  'id', r.id, 'status', r.status, 'approval', r.approval, 'amount', r.amount, 'currency', r.currency,
  'beneficiary_name', r.beneficiary ->> 'name', 'purpose', r.purpose, 'our_number', r.our_number,
  'contractor_reference', r.contractor_reference, 'provider', r.provider, 'failure_reason', r.failure_reason,
  'funding', case when r.status = 'incoming_payment_waiting' and r.funding is not null then json_build_object(
    'source_amount', (r.funding ->> 'sourceAmountMinor')::bigint, 'source_currency', r.funding ->> 'sourceCurrency',
    'reference', r.funding ->> 'reference', 'fund_by', r.funding ->> 'fundBy') end,
  'requested_by', case when r.requested_by is not null then json_build_object(
    'kind', r.requested_by ->> 'kind', 'id', r.requested_by ->> 'id', 'label', case r.requested_by ->> 'kind'
      when 'client' then (select c.label from public.oauth_clients c where c.client_id = r.requested_by ->> 'id')
      when 'person' then (select u.name from public.users u where u.tenant_id = r.tenant_id and u.id::text = r.requested_by ->> 'id')
      else (select k.label from public.api_keys k where k.id::text = r.requested_by ->> 'id') end) end,
  'created_at', app.format_utc(r.created))`;

export interface PayoutFilters {
  waiting?: 'approval' | 'funding' | undefined;
  status?: string | undefined;
}

const waitingFor = (sql: Sql, waiting: PayoutFilters['waiting']): Fragment => {
  if (waiting === 'approval') return sql`r.approval = 'waiting' and r.status = 'created'`;
  if (waiting === 'funding') return sql`r.status = 'incoming_payment_waiting' and r.funding is not null`;
  return sql`true`;
};

export const selectPayouts = (
  sql: Sql,
  tenantId: string,
  { waiting, status }: PayoutFilters,
  paging: Paging,
): Statement<Page> =>
  selectPage(
    sql,
    {
      rows: sql`public.payouts r`,
      where: all(sql, [
        sql`r.tenant_id = ${tenantId}`,
        contains(
          sql,
          sql`concat_ws(chr(10), r.our_number, r.id, r.beneficiary ->> 'name', r.contractor_reference)`,
          paging,
        ),
        waitingFor(sql, waiting),
        equals(sql, sql`r.status`, status),
      ]),
      record: payoutRecord(sql),
      name: sql`r.our_number collate "und-x-icu"`,
      time: sql`r.created`,
    },
    paging,
  );

export const selectPayout = (sql: Sql, tenantId: string, id: string): Statement<Shown> =>
  selectShown(sql, {
    record: payoutRecord(sql),
    rows: sql`public.payouts r`,
    where: sql`r.tenant_id = ${tenantId} and r.id = ${id}`,
  });

export const lockPayout = (sql: Sql, tenantId: string, id: string): Fragment =>
  sql`select from public.payouts r where r.tenant_id = ${tenantId} and r.id = ${id} for update`;

/** Approves a payout (null), or rejects it with a reason. Raises why the caller cannot. */
export const decidePayout = (sql: Sql, id: string, reason: string | null): Fragment =>
  sql`select app.decide_payout(${id}, ${reason})`;

export const adjustBalance = (
  sql: Sql,
  { amount, currency, reason }: { amount: number; currency: string; reason: string },
): Statement<Row> => sql`
  select json_build_object(
    'entry_id', app.adjust_balance(${amount}, ${currency}, ${reason}), 'amount', ${amount}::bigint, 'currency', ${currency}::text,
    'reason', ${reason}::text) as record`;
