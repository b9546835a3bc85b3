// Handles Asaas' withdrawal validation: Asaas requests approval before it executes a transfer or a PIX refund. Only those that match a
// payout or refund in progress on the same account are approved. Others are refused and logged as errors: they may be fraudulent.

import { sha256Hex } from '../../platform/crypto.ts';
import { type Database, type Sql, type Statement, WORKER_SESSION } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import type { RefundUnderReview } from '../providers/asaas/approvals.ts';
import type { Beneficiary } from '../providers/payout-port.ts';

export type Approval = { status: 'APPROVED' } | { status: 'REFUSED'; refuseReason: string };

/** Whether the token matches the account's withdrawal validation token configured at Asaas. */
export async function isApprovalToken(
  accountId: string,
  token: string | null,
  database: Database,
): Promise<boolean> {
  if (!token) return false;
  const hash = sha256Hex(token);
  const [row] = await database.transaction({ ...WORKER_SESSION, reads: true }, (sql) =>
    withdrawalTokenFits(sql, accountId, hash),
  );
  return row?.fits ?? false;
}

export async function decideOnWithdrawal(
  accountId: string,
  body: unknown,
  { database, log }: { database: Database; log: Logger },
): Promise<Approval> {
  const { readApproval, readRefundApproval, transferMatches } = await import(
    '../providers/asaas/approvals.ts'
  );
  const refund = readRefundApproval(body);
  if (refund) {
    const [decision] = await database.transaction(WORKER_SESSION, (sql) =>
      approveRefund(sql, accountId, refund),
    );
    if (decision?.approved) return { status: 'APPROVED' };
    log.error('refused a refund that Placar did not create', { account_id: accountId, refund: refund.id });
    return { status: 'REFUSED', refuseReason: 'No refund of this account in progress matches.' };
  }
  const requested = readApproval(body);
  const refuse = (refuseReason: string, isOurs = true): Approval => {
    const fields = {
      account_id: accountId,
      reason: refuseReason,
      transfer: requested?.id,
      reference: requested?.reference,
    };
    if (isOurs) log.error('refused a transfer that does not match its payout', fields);
    else log.error('refused a transfer that Placar did not create', fields);
    return { status: 'REFUSED', refuseReason };
  };
  if (!requested) return refuse('Placar approves only PIX transfers and PIX refunds.', false);
  if (!requested.reference) return refuse('Placar did not create this transfer.', false);
  const { reference } = requested;
  const [payout] = await database.transaction({ ...WORKER_SESSION, reads: true }, (sql) =>
    selectTransferToApprove(sql, accountId, reference),
  );
  if (!payout) return refuse('No payout of this account has this reference.', false);
  if (!payout.in_progress) return refuse('The payout is not in progress.');
  const matches = transferMatches(requested, payout);
  const details = { transfer: requested.id, value: requested.value, key: requested.key };
  const [decision] = await database.transaction(WORKER_SESSION, (sql) =>
    approveTransfer(sql, reference, requested.id, matches, details),
  );
  if (!matches) return refuse('The amount or the PIX key does not match the payout.');
  if (!decision?.approved) return refuse('The payout was sent as a different transfer.');
  return { status: 'APPROVED' };
}

/** `tokenHash`: SHA-256 in hex. */
const withdrawalTokenFits = (sql: Sql, accountId: string, tokenHash: string): Statement<{ fits: boolean }> =>
  sql`select app.withdrawal_token_fits(${accountId}, decode(${tokenHash}, 'hex')) as fits`;

interface TransferToApprove {
  amount: number;
  currency: string;
  beneficiary: Beneficiary;
  /** Whether the payout was sent and has not ended. */
  in_progress: boolean;
}

const selectTransferToApprove = (
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
const approveTransfer = (
  sql: Sql,
  payoutId: string,
  transferId: string,
  matches: boolean,
  details: object,
): Statement<{ approved: boolean }> =>
  sql`select app.approve_transfer(${payoutId}, ${transferId}, ${matches}, ${JSON.stringify(details)}::jsonb) as approved`;

/**
 * Approves a refund in progress of this amount, unless it was approved for another refund at Asaas. If a request says neither the
 * payment nor our id and several refunds or none match, it is refused and recorded in `provider_differences`.
 */
const approveRefund = (
  sql: Sql,
  accountId: string,
  { id, amountMinor, payment, reference }: RefundUnderReview,
): Statement<{ approved: boolean }> =>
  sql`select app.approve_refund(${accountId}, ${id}, ${amountMinor}, ${payment ?? null}, ${reference ?? null}) as approved`;
