// SQL of the table `payouts`; ledger and events follow from its rows by trigger.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import { failureReason } from '../failure-reason.ts';
import { type Claim, whereNothingBegan } from '../idempotency-queries.ts';
import type { AcceptedPayout, ProviderReport } from '../providers/provider.ts';
import type { PayoutInput } from './schema.ts';
import type { PayoutRow } from './serialize.ts';
import { cancelableStatuses, type PayoutState, type PayoutStatus } from './states.ts';

export type PayoutSnapshotRow = { snapshot: PayoutRow };

/** Begins the payout of a claim under which nothing was begun, unless the cost center is unknown. */
export function insertPayout(sql: Sql, claim: Claim, input: PayoutInput, provider: string): Fragment {
  const costCenter = input.cost_center ?? null;
  return sql`
    with made as (
      insert into public.payouts
        (tenant_id, beneficiary, amount, currency, region, purpose, cost_center, contractor_reference, metadata, provider)
      select k.tenant_id, ${JSON.stringify(input.beneficiary)}::jsonb, ${input.amount}, ${input.currency}, ${input.region},
             ${input.purpose}, c.code, ${input.contractor_reference ?? null},
             ${input.metadata ? JSON.stringify(input.metadata) : null}::jsonb, ${provider}
      from public.idempotency_keys k
      left join public.cost_centers c
        on c.tenant_id = k.tenant_id and case when ${costCenter}::text is null then c.is_default else c.code = ${costCenter} end
      where ${whereNothingBegan(sql, claim)} and (${costCenter}::text is null or c.code is not null)
      returning id
    )
    select app.set_key_resource(${claim.key}, id) from made`;
}

/** What the request of a key is making, with what its provider needs. */
export function selectPayoutOfKey(sql: Sql, { tenantId, key }: Claim): Statement<PayoutSnapshotRow> {
  return sql`
    select to_jsonb(p) as snapshot
    from public.idempotency_keys k
    join public.payouts p on p.tenant_id = k.tenant_id and p.id = k.resource_id
    where k.tenant_id = ${tenantId} and k.key = ${key}`;
}

/** A payout in one of these states as it is, for jobs. */
export function selectPayoutIn(
  sql: Sql,
  tenantId: string,
  id: string,
  states: readonly PayoutState[],
): Statement<{ row: PayoutRow }> {
  return sql`
    select to_jsonb(p) as row from public.payouts p
    where tenant_id = ${tenantId} and id = ${id} and status = any (${sql.array([...states])})`;
}

/**
 * The provider took it: the payout takes its number and the state that it starts in. It is locked by a statement of its own, since
 * an update that waits for another one takes its number twice, which leaves a gap.
 */
export const openPayout = (
  sql: Sql,
  tenantId: string,
  id: string,
  status: PayoutStatus,
  { providerReference, state }: AcceptedPayout,
): Fragment[] => [
  sql`select from public.payouts where tenant_id = ${tenantId} and id = ${id} for update`,
  sql`
    update public.payouts
    set status = ${status}, our_number = app.our_number(tenant_id, 'PO'), provider_reference = ${providerReference},
        state_at = ${state.at.toISOString()}
    where tenant_id = ${tenantId} and id = ${id} and status = 'creating'`,
];

export function selectPayout(sql: Sql, tenantId: string, id: string): Statement<PayoutSnapshotRow> {
  return sql`
    select to_jsonb(p) as snapshot from public.payouts p
    where tenant_id = ${tenantId} and id = ${id} and status <> 'creating'`;
}

export function markCanceled(sql: Sql, tenantId: string, id: string): Fragment {
  return sql`
    update public.payouts set status = 'canceled', state_at = now()
    where tenant_id = ${tenantId} and id = ${id} and status = any (${sql.array([...cancelableStatuses])})`;
}

/** Fails (`statusChanged`) unless the payout is in one of these states, and keeps it so until the end. */
export const expectPayoutStatus = (sql: Sql, id: string, states: readonly PayoutState[]): Fragment =>
  sql`select app.expect_status('payouts', ${id}, ${sql.array([...states])})`;

/** What a provider reports, where it changes anything (`app.report_applies`). */
export function applyPayoutReport(
  sql: Sql,
  provider: string,
  { reference, state }: ProviderReport,
  condition: Fragment,
): Fragment {
  const { status, at, feeMinor, availableOn, reason } = state;
  return sql`
    update public.payouts
    set status = ${status}, state_at = ${at.toISOString()}, fee = coalesce(${feeMinor ?? null}::bigint, fee),
        available_on = coalesce(${availableOn ?? null}::date, available_on),
        failure_reason = ${failureReason(sql, status, reason)}
    where id = ${reference} and provider = ${provider} and ${condition}
      and app.report_applies('payouts', status, state_at, ${status}, ${at.toISOString()})`;
}

/** Payouts for a list, those that no provider has taken left out. */
export const payoutListSource = (sql: Sql): Fragment => sql`
  select to_jsonb(payouts) as snapshot
  from (select * from public.payouts where status <> 'creating') as payouts`;
