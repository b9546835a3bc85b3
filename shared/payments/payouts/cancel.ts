// Cancels a payout before its money is sent.
import type { Context } from '../../platform/access/context.ts';
import { isSqlError } from '../../platform/db/sql-errors.ts';
import { ApiError } from '../../platform/errors.ts';
import { idempotentSteps } from '../idempotency/run-idempotent.ts';
import { expectCancelable } from '../orders/queries.ts';
import { ProviderBusy } from '../providers/errors.ts';
import { type Providers, payoutsOf } from '../providers/provider.ts';
import { notFound } from '../requests/errors.ts';
import { payoutOrderOf } from './order.ts';
import {
  expectApproval,
  markCanceled,
  type PayoutRow,
  selectPayout,
  selectPayoutToCancel,
} from './queries.ts';
import { cancelableStatuses, isCancelable } from './states.ts';

/** Retry-After while the payout is being sent. By then its outcome is known. */
const RETRY_AFTER_SECONDS = 30;

export function cancelPayout({ tenantId }: Context, { id }: { id: string }, providers: Providers) {
  return idempotentSteps({
    kind: 'payout',
    begin: (sql) => selectPayoutToCancel(sql, tenantId, id),
    async ask([found], { again, askProvider }) {
      if (!found) throw notFound('payout');
      const payout = found.snapshot;
      // The provider reported an earlier attempt's cancellation before that attempt stored it.
      const canceledBefore = again && payout.status === 'canceled';
      if (canceledBefore) return { payout, canceledBefore };
      if (!isCancelable(payout.status)) throw notCancelable(payout);
      // A payout that awaits approval has not reached the provider. A job sends it after the approval.
      if (payout.approval === 'waiting') return { payout, canceledBefore };
      if (payout.beneficiary.bank_account.type === 'pix') throw notCancelable(payout);
      const canceled = await askProvider(async (signal) => {
        if (payout.provider_reference === null) {
          if (payout.ordered_at === null) return true;
          // The order may be in flight to the provider.
          throw new ProviderBusy('The payout is being sent.', RETRY_AFTER_SECONDS);
        }
        const provider = await providers.of(payout, found.account);
        return await payoutsOf(provider).cancel(payoutOrderOf(payout), signal);
      });
      if (!canceled) throw notCancelable(payout);
      return { payout, canceledBefore };
    },
    complete: (sql, { payout, canceledBefore }) =>
      canceledBefore
        ? []
        : {
            expected: expectCancelable(sql, 'payout', { tenantId, id }, cancelableStatuses),
            approval: expectApproval(sql, payout),
            payout: markCanceled(sql, tenantId, id),
          },
    snapshot: (sql) => selectPayout(sql, tenantId, id),
    mapWriteError: (error, { payout }) =>
      isSqlError(error, 'statusChanged') ? notCancelable(payout) : undefined,
  });
}

function notCancelable({ beneficiary, status }: PayoutRow): ApiError {
  const pix = beneficiary.bank_account.type === 'pix';
  const message = pix
    ? 'A PIX cashout is final once accepted.'
    : `The payout is ${status} and can no longer be canceled.`;
  return new ApiError('payout_not_cancelable', message);
}
