// Cancels a payout before its money is sent.
import type { Context } from '../../platform/access/context.ts';
import type { Sql } from '../../platform/db/database.ts';
import { isSqlError } from '../../platform/db/sql-errors.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Attempt, Completed } from '../idempotency/with-idempotency-key.ts';
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

/** Throws `not_found`, `payout_not_cancelable` and `provider_error`. */
export async function cancelPayout(
  { tenantId }: Context,
  attempt: Attempt,
  { id }: { id: string },
  providers: Providers,
): Promise<Completed> {
  const [found] = await attempt.begin((sql) => selectPayoutToCancel(sql, tenantId, id));
  if (!found) throw notFound('payout');
  const payout = found.snapshot;
  const success = { kind: 'payout' as const, snapshot: (sql: Sql) => selectPayout(sql, tenantId, id) };
  // The provider reported an earlier attempt's cancellation before that attempt stored it.
  if (attempt.isRetry && payout.status === 'canceled') return await attempt.complete(() => [], success);
  if (!isCancelable(payout.status)) throw notCancelable(payout);

  // A payout that awaits approval has not reached the provider. A job sends it after the approval.
  if (payout.approval !== 'waiting') {
    if (payout.beneficiary.bank_account.type === 'pix') throw notCancelable(payout);
    const isCanceled = await attempt.callProvider(async (signal) => {
      if (payout.provider_reference === null) {
        if (payout.ordered_at === null) return true;
        // The order may be in flight to the provider.
        throw new ProviderBusy('The payout is being sent.', RETRY_AFTER_SECONDS);
      }
      const provider = await providers.of(payout, found.account);
      return await payoutsOf(provider).cancel(payoutOrderOf(payout), signal);
    });
    if (!isCanceled) throw notCancelable(payout);
  }

  try {
    return await attempt.complete(
      (sql) => ({
        expected: expectCancelable(sql, 'payout', { tenantId, id }, cancelableStatuses),
        approval: expectApproval(sql, payout),
        payout: markCanceled(sql, tenantId, id),
      }),
      success,
    );
  } catch (error) {
    throw isSqlError(error, 'statusChanged') ? notCancelable(payout) : error;
  }
}

function notCancelable({ beneficiary, status }: PayoutRow): ApiError {
  const pix = beneficiary.bank_account.type === 'pix';
  const message = pix
    ? 'A PIX cashout is final once accepted.'
    : `The payout is ${status} and can no longer be canceled.`;
  return new ApiError('payout_not_cancelable', message);
}
