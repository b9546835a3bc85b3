// Creates refunds: reserve the amount, send the refund, apply the answer. A retry of a request whose outcome is unknown only looks the
// refund up; a job sends it again (jobs.ts). Loaded lazily to keep cold starts short.
import type { Context } from '../../platform/access/context.ts';
import type { Sql } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Attempt, Completed } from '../idempotency/with-idempotency-key.ts';
import { chargeOrderOf } from '../invoices/order.ts';
import { reportFailure } from '../orders/after-failure.ts';
import { isDefiniteFailure, isOutcomeUnknown, ProviderOutcomeUnknown } from '../providers/errors.ts';
import { type Providers, refundsOf } from '../providers/provider.ts';
import { problemOf, recordAnsweredOrder } from '../providers/routing.ts';
import { notFound } from '../requests/errors.ts';
import { findRefund, refundOrderOf } from './order.ts';
import {
  applyRefundReport,
  discardRefund,
  type Reservation,
  reserveRefund,
  scheduleRefundLookup,
  selectRefund,
  selectRefundOfKey,
} from './queries.ts';
import type { RefundInput } from './schema.ts';

export { parseRefund } from './schema.ts';

/**
 * Throws `not_found`, `invoice_not_refundable`, `refund_window_expired`, `insufficient_balance`, `validation` and `provider_error`.
 */
export async function createRefund(
  { tenantId }: Context,
  attempt: Attempt,
  { invoiceId, ...input }: RefundInput & { invoiceId: string },
  providers: Providers,
): Promise<Completed> {
  const {
    reservations: [reservation],
    refunds: [started],
  } = await attempt.begin((sql, claim) => ({
    reservations: reserveRefund(sql, claim, invoiceId, input),
    refunds: selectRefundOfKey(sql, claim),
  }));
  if (!started) throw reservation ? errorOf(reservation) : notFound('invoice');
  const { snapshot, invoice, account } = started;
  const { id } = snapshot;
  const success = { kind: 'refund' as const, snapshot: (sql: Sql) => selectRefund(sql, tenantId, id) };
  // A notification or the job may have completed the refund of an earlier attempt.
  if (snapshot.status !== 'creating') return await attempt.complete(() => [], success);

  const { provider_account_id: accountId } = invoice;
  attempt.onFailure((sql, error) => ({
    discarded: isDefiniteFailure(error) ? discardRefund(sql, id) : [],
    looked: isOutcomeUnknown(error) ? scheduleRefundLookup(sql, id) : [],
    reported: reportFailure(sql, { id, provider_account_id: accountId }, error),
  }));
  const [charge, refund] = [chargeOrderOf(invoice), refundOrderOf(snapshot)];
  const provider = await providers.of(invoice, account);
  const report = await attempt.callProvider(async (signal) => {
    if (reservation?.is_first) return await refundsOf(provider).create(charge, refund, signal);
    const sent = await findRefund(provider, charge, refund, signal);
    if (!sent) throw new ProviderOutcomeUnknown('The outcome of the previous attempt is not known yet.');
    return sent;
  });

  return await attempt.complete(
    (sql) => ({
      applied: applyRefundReport(sql, id, report),
      answered: accountId ? recordAnsweredOrder(sql, accountId) : [],
    }),
    success,
  );
}

function errorOf({ problem, detail }: Reservation): Error {
  switch (problem) {
    case 'not_refundable':
      return new ApiError('invoice_not_refundable', detail ?? '');
    case 'window_expired':
      return new ApiError('refund_window_expired', detail ?? '');
    case 'amount':
    case 'not_ready':
    case 'not_configured':
      return problemOf({ problem, detail }) ?? notFound('invoice');
    case 'not_found':
    case null:
      return notFound('invoice');
  }
}
