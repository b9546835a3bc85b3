// Asaas asks whether a transfer is ours before it makes it (its withdrawal validation). Only what matches an order of that account
// that is under way is approved; everything else is refused, and logged loudly: somebody else may be moving the money.
import { createHash } from 'node:crypto';
import { type Database, WORKER_SESSION } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import { selectTransferToApprove, withdrawalTokenFits } from './approval-queries.ts';

export type Approval = { status: 'APPROVED' } | { status: 'REFUSED'; refuseReason: string };

/** Whether this is the token that was typed in at Asaas for the account. */
export async function isApprovalToken(
  accountId: string,
  token: string | null,
  database: Database,
): Promise<boolean> {
  if (!token) return false;
  const hash = createHash('sha256').update(token).digest('hex');
  const [row] = await database.transaction({ ...WORKER_SESSION, reads: true }, (sql) =>
    withdrawalTokenFits(sql, accountId, hash),
  );
  return row?.fits ?? false;
}

export async function decideOnTransfer(
  accountId: string,
  body: unknown,
  { database, log }: { database: Database; log: Logger },
): Promise<Approval> {
  const { readApproval, transferMatches } = await import('../providers/asaas/approvals.ts');
  const asked = readApproval(body);
  const refuse = (refuseReason: string): Approval => {
    log.error('transfer refused that is not ours', {
      account_id: accountId,
      reason: refuseReason,
      transfer: asked?.id,
      reference: asked?.reference,
    });
    return { status: 'REFUSED', refuseReason };
  };
  if (!asked) return refuse('Placar approves PIX transfers alone.');
  if (!asked.reference) return refuse('The transfer was not ordered by Placar.');
  const { reference } = asked;
  const [payout] = await database.transaction({ ...WORKER_SESSION, reads: true }, (sql) =>
    selectTransferToApprove(sql, accountId, reference),
  );
  if (!payout) return refuse('No order of this account has this reference.');
  if (!payout.under_way) return refuse('The order is not under way.');
  if (payout.provider_reference !== null && payout.provider_reference !== asked.id)
    return refuse('The order was sent as another transfer.');
  if (!transferMatches(asked, payout)) return refuse('Value or key are not those of the order.');
  return { status: 'APPROVED' };
}
