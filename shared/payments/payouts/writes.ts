// Creates payouts: insert the row, send the order, open the payout. If the outcome of an earlier attempt is unknown, a retry looks the
// payout up and sends it again only if the provider deduplicates; otherwise a job sends it again (order.ts). A job also sends payouts
// that require approval. Loaded lazily, because it imports the phone number metadata of all countries.
import type { Context } from '../../platform/access/context.ts';
import type { Sql } from '../../platform/db/database.ts';
import type { Attempt, Completed } from '../idempotency/with-idempotency-key.ts';
import { afterFailedOrder } from '../orders/after-failure.ts';
import { applyOrderReport } from '../orders/queries.ts';
import { isDefiniteFailure, ProviderOutcomeUnknown } from '../providers/errors.ts';
import type { PayoutOrder, PayoutReport } from '../providers/payout-port.ts';
import { type PaymentProvider, type Providers, payoutsOf } from '../providers/provider.ts';
import { recordAnsweredOrder } from '../providers/routing.ts';
import { findOrFundPayout, firstStatusOf, payoutOrderOf } from './order.ts';
import {
  claimFirstSendOfKey,
  insertOrCheckPayout,
  markNotSent,
  openPayout,
  selectPayout,
  selectPayoutOfKey,
} from './queries.ts';
import { notCreated } from './request.ts';
import type { PayoutRequest } from './schema.ts';

export { parseReason } from '../requests/fields.ts';
export { cancelPayout } from './cancel.ts';
export { asTooManyWaiting } from './request.ts';
export { parsePayout } from './schema.ts';

/** Throws `provider_not_configured`, `unknown_cost_center`, `validation` and `provider_error`. */
export async function createPayout(
  { tenantId }: Context,
  attempt: Attempt,
  request: PayoutRequest,
  providers: Providers,
): Promise<Completed> {
  const {
    choices: [choice],
    firstOrder,
    payouts: [started],
  } = await attempt.begin((sql, claim) => ({
    choices: insertOrCheckPayout(sql, claim, request),
    firstOrder: claimFirstSendOfKey(sql, claim),
    payouts: selectPayoutOfKey(sql, claim),
  }));
  if (!started) throw notCreated(request, choice);
  const { isRetry } = attempt;
  const { snapshot: row, account } = started;
  const success = { kind: 'payout' as const, snapshot: (sql: Sql) => selectPayout(sql, tenantId, row.id) };
  attempt.onFailure((sql, error) => ({
    unsent: isDefiniteFailure(error) ? markNotSent(sql, row, row.ordered_at) : [],
    undo: afterFailedOrder(sql, 'payouts', row, error, isRetry),
  }));
  if (row.approval === 'waiting')
    return await attempt.complete((sql) => openPayout(sql, tenantId, row.id, 'created', undefined), success);

  const order = payoutOrderOf(row);
  // A retry uses the provider that the first attempt chose.
  const chosen = await providers.of(row, account);
  const mayHaveBeenSent = firstOrder.length === 0;
  const accepted = await attempt.callProvider((signal) => sendOnce(chosen, order, mayHaveBeenSent, signal));
  return await attempt.complete(
    (sql) => ({
      payout: openPayout(sql, tenantId, row.id, firstStatusOf(order), accepted),
      // The payout may already be in transit or waiting for its funding.
      report: applyOrderReport(sql, 'payouts', row, new Date(row.created), accepted),
      answered: row.provider_account_id ? recordAnsweredOrder(sql, row.provider_account_id) : [],
    }),
    success,
  );
}

async function sendOnce(
  provider: PaymentProvider,
  order: PayoutOrder,
  mayHaveBeenSent: boolean,
  signal: AbortSignal,
): Promise<PayoutReport> {
  const sent = mayHaveBeenSent ? await findOrFundPayout(provider, order, signal) : undefined;
  if (sent) return sent;
  if (mayHaveBeenSent && payoutsOf(provider).resendPolicy === 'after_two_lookups')
    throw new ProviderOutcomeUnknown('The outcome of the previous attempt is not known yet.');
  signal.throwIfAborted();
  return await payoutsOf(provider).create(order, signal);
}
