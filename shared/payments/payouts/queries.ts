// SQL for the table `payouts`. Triggers write the ledger and events (database/payments/effects.sql).

import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { RowAs } from '../../platform/db/row.ts';
import { type Claim, whereNotStarted } from '../idempotency/queries.ts';
import type { Beneficiary, PayoutReport } from '../providers/payout-port.ts';
import { accountOf, chooseProvider, type RoutingProblem, type WithAccount } from '../providers/routing.ts';
import type { PayoutInput, PayoutRequest } from './schema.ts';
import { cancelableStatuses, type PayoutState, type PayoutStatus } from './states.ts';

/** A row of `payouts`. */
export type PayoutRow = RowAs<
  'payouts',
  never,
  {
    status: PayoutState;
    beneficiary: Beneficiary;
    metadata: Record<string, string> | null;
  }
>;

type PayoutSnapshotRow = { snapshot: PayoutRow };

/** Inserts the payout of a claim, or only checks the amount if the request has errors. */
export function insertOrCheckPayout(
  sql: Sql,
  claim: Claim,
  { input, draft: { region, currency, amount: amountMinor } }: PayoutRequest,
): Statement<RoutingProblem> | [] {
  if (input) return insertPayout(sql, claim, input);
  if (!region || !currency) return [];
  return sql`select problem, detail from ${chooseProvider(sql, { kind: 'payout', region, currency, amountMinor })}`;
}

/** Inserts the payout of a claim that has none yet. Inserts nothing if no provider is available or the cost center is unknown. */
function insertPayout(sql: Sql, claim: Claim, input: PayoutInput): Statement<RoutingProblem> {
  const costCenter = input.cost_center ?? null;
  const { region, currency, amount: amountMinor } = input;
  return sql`
    with choice as materialized (
      select * from ${chooseProvider(sql, { kind: 'payout', region, currency, amountMinor })}
    ), made as (
      insert into public.payouts
        (tenant_id, beneficiary, amount, currency, region, purpose, cost_center, contractor_reference, metadata, provider,
         provider_account_id, approval)
      select k.tenant_id, ${JSON.stringify(input.beneficiary)}::jsonb, ${input.amount}, ${input.currency}, ${input.region},
             ${input.purpose}, c.code, ${input.contractor_reference ?? null},
             ${input.metadata ? JSON.stringify(input.metadata) : null}::jsonb, choice.provider, choice.account_id, a.approval
      from public.idempotency_keys k
      join choice on choice.problem is null
      cross join app.payout_approval(${currency}, ${amountMinor}) as a (approval)
      left join public.cost_centers c
        on c.tenant_id = k.tenant_id and case when ${costCenter}::text is null then c.is_default else c.code = ${costCenter} end
      where ${whereNotStarted(sql, claim)} and (${costCenter}::text is null or c.code is not null)
      returning id
    ), noted as (
      select app.set_key_resource(${claim.key}, id) from made
    )
    -- Counting the rows of noted makes Postgres execute it.
    select problem, detail, (select count(*) from noted) as made from choice`;
}

/**
 * Marks the payout of a claim as sent, before it is sent. Returns a row only if the provider cannot have the payout yet. Skips
 * payouts that require approval.
 */
export const claimFirstSendOfKey = (
  sql: Sql,
  { tenantId, key, attemptId }: Claim,
): Statement<{ id: string }> => sql`
  update public.payouts p set ordered_at = now()
  from public.idempotency_keys k
  where k.tenant_id = ${tenantId} and k.key = ${key} and k.claimed_by = ${attemptId} and k.response_status is null
    and p.tenant_id = k.tenant_id and p.id = k.resource_id
    and p.status = 'creating' and p.approval is null and p.ordered_at is null
  returning p.id`;

/** The payout that the request of an idempotency key is creating, with its provider account. */
export const selectPayoutOfKey = (
  sql: Sql,
  { tenantId, key }: Claim,
): Statement<PayoutSnapshotRow & WithAccount> => sql`
  select to_jsonb(p) as snapshot, ${accountOf(sql, sql`p`)}
  from public.idempotency_keys k
  join public.payouts p on p.tenant_id = k.tenant_id and p.id = k.resource_id
  where k.tenant_id = ${tenantId} and k.key = ${key}`;

/** The payout that the request of an idempotency key is creating, without its provider account. */
export const selectRequestedPayout = (
  sql: Sql,
  { tenantId, key }: Claim,
): Statement<PayoutSnapshotRow> => sql`
  select to_jsonb(p) as snapshot
  from public.idempotency_keys k
  join public.payouts p on p.tenant_id = k.tenant_id and p.id = k.resource_id
  where k.tenant_id = ${tenantId} and k.key = ${key}`;

/**
 * Sets the initial status and the number of a payout that the provider accepted or that awaits approval. A separate statement locks
 * the row first: an update that waits for a lock evaluates its expressions twice, which would consume two numbers and leave a gap.
 */
export const openPayout = (
  sql: Sql,
  tenantId: string,
  id: string,
  status: PayoutStatus,
  accepted: PayoutReport | undefined,
): Fragment[] => [
  sql`select from public.payouts where tenant_id = ${tenantId} and id = ${id} for update`,
  sql`
    update public.payouts
    set status = ${status}, our_number = app.our_number(tenant_id, 'PO'),
        provider_reference = ${accepted?.providerReference ?? null},
        state_at = coalesce(${accepted?.state.at.toISOString() ?? null}::timestamptz, now()),
        funding = ${accepted?.funding ? JSON.stringify(accepted.funding) : null}::jsonb
    where tenant_id = ${tenantId} and id = ${id} and status = 'creating'`,
];

export const selectPayout = (sql: Sql, tenantId: string, id: string): Statement<PayoutSnapshotRow> => sql`
  select to_jsonb(p) as snapshot from public.payouts p
  where tenant_id = ${tenantId} and id = ${id} and status <> 'creating'`;

/** A payout with its provider account. */
export const selectPayoutToCancel = (
  sql: Sql,
  tenantId: string,
  id: string,
): Statement<PayoutSnapshotRow & WithAccount> => sql`
  select to_jsonb(p) as snapshot, ${accountOf(sql, sql`p`)} from public.payouts p
  where tenant_id = ${tenantId} and id = ${id} and status <> 'creating'`;

export const markCanceled = (sql: Sql, tenantId: string, id: string): Fragment => sql`
  update public.payouts set status = 'canceled', state_at = now()
  where tenant_id = ${tenantId} and id = ${id} and status = any (${cancelableStatuses})`;

/** Records that the attempt marked at `orderedAt` did not reach the provider, so that the payout can be sent again. Ignores later attempts. */
export const markNotSent = (
  sql: Sql,
  { tenant_id: tenantId, id }: PayoutRow,
  orderedAt: string | null,
): Fragment => sql`
  update public.payouts set ordered_at = null
  where tenant_id = ${tenantId} and id = ${id} and status in ('creating', 'created') and ordered_at = ${orderedAt}::text::timestamptz`;

/** Marks an approved payout as sent. Returns a row only if it was not sent before. */
export const claimFirstSend = (sql: Sql, tenantId: string, id: string): Statement<{ id: string }> => sql`
  update public.payouts set ordered_at = now()
  where tenant_id = ${tenantId} and id = ${id} and status = 'created' and approval = 'approved' and ordered_at is null
  returning id`;

/** Fails an approved payout that its provider rejected. */
export const failApproved = (sql: Sql, tenantId: string, id: string, reason: string): Fragment => sql`
  update public.payouts set status = 'failed', failure_reason = ${reason}, state_at = now()
  where tenant_id = ${tenantId} and id = ${id} and status = 'created'`;

/** Throws `statusChanged` if the payout was approved, rejected or sent since the row was read. */
export const expectApproval = (sql: Sql, { id, approval, ordered_at: orderedAt }: PayoutRow): Fragment =>
  sql`select app.expect_approval(${id}, ${approval}, ${orderedAt}::text::timestamptz)`;

/** Source of payout lists. Omits payouts that no provider has accepted yet. */
export const payoutListSource = (sql: Sql): Fragment => sql`
  select to_jsonb(payouts) as snapshot
  from (select * from public.payouts where status <> 'creating') as payouts`;
