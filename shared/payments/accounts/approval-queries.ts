// SQL for Asaas' withdrawal validation requests.
import type { Sql, Statement } from '../../platform/db/database.ts';
import type { RefundUnderReview } from '../providers/asaas/approvals.ts';
import type { Beneficiary } from '../providers/orders.ts';

/** `tokenHash`: SHA-256 in hex. */
export const withdrawalTokenFits = (
  sql: Sql,
  accountId: string,
  tokenHash: string,
): Statement<{ fits: boolean }> =>
  sql`select app.withdrawal_token_fits(${accountId}, decode(${tokenHash}, 'hex')) as fits`;

export interface TransferToApprove {
  amount: number;
  currency: string;
  beneficiary: Beneficiary;
  /** Whether the payout was sent and has not ended. */
  in_progress: boolean;
}

export const selectTransferToApprove = (
  sql: Sql,
  accountId: string,
  id: string,
): Statement<TransferToApprove> => sql`
  select amount::double precision as amount, currency, beneficiary,
         status in ('creating', 'created', 'processing') and ordered_at is not null as in_progress
  from public.payouts
  where id = ${id} and provider_account_id = ${accountId}`;

/**
 * Approves the transfer if it `matches` the payout, the payout is in progress, and no other transfer of the payout was approved. A
 * second transfer of the payout is recorded in `provider_differences` and reported to the tenant's owner by email.
 */
export const approveTransfer = (
  sql: Sql,
  payoutId: string,
  transferId: string,
  matches: boolean,
  details: object,
): Statement<{ approved: boolean }> =>
  sql`select app.approve_transfer(${payoutId}, ${transferId}, ${matches}, ${JSON.stringify(details)}::jsonb) as approved`;

/**
 * Approves a refund in progress of this amount, unless it was approved for another refund at Asaas. A request that says neither the
 * payment nor our id is refused and recorded in `provider_differences`.
 */
export const approveRefund = (
  sql: Sql,
  accountId: string,
  { id, amountMinor, payment, reference }: RefundUnderReview,
): Statement<{ approved: boolean }> =>
  sql`select app.approve_refund(${accountId}, ${id}, ${amountMinor}, ${payment ?? null}, ${reference ?? null}) as approved`;
