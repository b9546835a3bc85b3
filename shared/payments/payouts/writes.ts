// Creating payouts: begin one, have the provider take the order, open it. A payout whose outcome is unknown is looked up, and sent again
// only where the provider recognizes the repetition; elsewhere a job does that (order.ts). A payout that somebody must approve
// waits, and a job sends it. Loaded with the first request that needs it: the phone numbers of all countries come with it.
import type { Context } from '../../platform/access/context.ts';
import { idempotentSteps } from '../idempotency/run-idempotent.ts';
import { afterFailedOrder } from '../orders/after-failure.ts';
import { applyOrderReport } from '../orders/queries.ts';
import { provesNothingDone } from '../providers/ask-provider.ts';
import {
  type PaymentProvider,
  type PayoutOrder,
  type PayoutReport,
  ProviderOutcomeUnknown,
  type Providers,
  payoutsOf,
} from '../providers/provider.ts';
import { problemOf } from '../providers/routing.ts';
import { unknownCostCenter } from '../requests/errors.ts';
import { firstStatusOf, lookForPayout, payoutOrderOf } from './order.ts';
import {
  claimFirstOrderOfKey,
  insertPayout,
  markNotSent,
  openPayout,
  selectPayout,
  selectPayoutOfKey,
} from './queries.ts';
import type { PayoutInput } from './schema.ts';

export { parseReason } from '../requests/fields.ts';
export { cancelPayout } from './cancel.ts';
export { parsePayout } from './schema.ts';

/** Its steps throw `provider_not_configured`, `unknown_cost_center`, `validation` and `provider_error`. */
export function createPayout({ tenantId }: Context, input: PayoutInput, providers: Providers) {
  return idempotentSteps({
    kind: 'payout',
    begin: (sql, claim) => ({
      choices: insertPayout(sql, claim, input),
      firstOrder: claimFirstOrderOfKey(sql, claim),
      payouts: selectPayoutOfKey(sql, claim),
    }),
    async ask({ choices: [choice], firstOrder, payouts: [begun] }, { askProvider }) {
      if (!begun) throw (choice && problemOf(choice)) ?? unknownCostCenter(input.cost_center);
      const { snapshot: row, account } = begun;
      if (row.approval === 'waiting') return { row, status: 'created' as const, accepted: undefined };
      const order = payoutOrderOf(row);
      // The one that an earlier attempt chose.
      const chosen = await providers.of(row, account);
      const mayBeThere = firstOrder.length === 0;
      const accepted = await askProvider((signal) => takeOrder(chosen, order, mayBeThere, signal));
      return { row, status: firstStatusOf(order), accepted };
    },
    complete: (sql, { row, status, accepted }) => ({
      payout: openPayout(sql, tenantId, row.id, status, accepted),
      // It may already be on its way, or wait for its money.
      report: accepted
        ? applyOrderReport(sql, 'payouts', row.id, row.provider_account_id, new Date(row.created), accepted)
        : [],
    }),
    snapshot: (sql, { row }) => selectPayout(sql, tenantId, row.id),
    undo(sql, { payouts: [begun] }, error, again) {
      if (!begun) return [];
      const { snapshot: row } = begun;
      return {
        unsent: provesNothingDone(error) ? markNotSent(sql, row, row.ordered_at) : [],
        undo: afterFailedOrder(sql, 'payouts', row, error, again),
      };
    },
  });
}

async function takeOrder(
  provider: PaymentProvider,
  order: PayoutOrder,
  mayBeThere: boolean,
  signal: AbortSignal,
): Promise<PayoutReport> {
  const sent = mayBeThere ? await lookForPayout(provider, order, signal) : undefined;
  if (sent) return sent;
  if (mayBeThere && payoutsOf(provider).retryPolicy === 'after_two_looks')
    throw new ProviderOutcomeUnknown('Whether it was taken is not known yet.');
  signal.throwIfAborted();
  return await payoutsOf(provider).create(order, signal);
}
