// Canceling a payout that has not left yet.
import type { Context } from '../../platform/access/context.ts';
import { isSqlError } from '../../platform/db/sql-errors.ts';
import { ApiError } from '../../platform/errors.ts';
import { idempotentSteps } from '../idempotency/run-idempotent.ts';
import { expectCancelable } from '../orders/queries.ts';
import { ProviderBusy, type Providers, payoutsOf } from '../providers/provider.ts';
import { notFound } from '../requests/errors.ts';
import { payoutOrderOf } from './order.ts';
import { expectApproval, markCanceled, selectPayout, selectPayoutToCancel } from './queries.ts';
import type { PayoutRow } from './serialize.ts';
import { cancelableStatuses, isCancelable } from './states.ts';

/** When a payout that is being sent has been taken, or not. */
const AGAIN_SECONDS = 30;

export function cancelPayout({ tenantId }: Context, { id }: { id: string }, providers: Providers) {
  return idempotentSteps({
    kind: 'payout',
    begin: (sql) => selectPayoutToCancel(sql, tenantId, id),
    async ask([found], { again, askProvider }) {
      if (!found) throw notFound('payout');
      const payout = found.snapshot;
      // An earlier attempt canceled it, and the provider told us before that attempt could.
      const canceledBefore = again && payout.status === 'canceled';
      if (canceledBefore) return { payout, canceledBefore };
      if (!isCancelable(payout.status)) throw notCancelable(payout);
      // One that waits for approval is nowhere yet; once somebody approved it, a job sends it.
      if (payout.approval === 'waiting') return { payout, canceledBefore };
      if (payout.beneficiary.bank_account.type === 'pix') throw notCancelable(payout);
      const canceled = await askProvider(async (signal) => {
        if (payout.provider_reference === null) {
          if (payout.ordered_at === null) return true;
          // What is not there yet may be on its way.
          throw new ProviderBusy('The payout is being sent.', AGAIN_SECONDS);
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
    whenRefused: (error, { payout }) =>
      isSqlError(error, 'statusChanged') ? notCancelable(payout) : undefined,
  });
}

function notCancelable({ beneficiary, status }: PayoutRow): ApiError {
  const pix = beneficiary.bank_account.type === 'pix';
  const message = pix
    ? 'A PIX cashout is final once accepted.'
    : `The payout is ${status} and has left already.`;
  return new ApiError('payout_not_cancelable', message);
}
