// Paying out: begin it, have the provider take the order, open it. One whose outcome is unknown is looked up and never
// sent twice.
import type { Context } from '../../platform/context.ts';
import { unknownCostCenter } from '../domain-errors.ts';
import { idempotentSteps } from '../idempotency.ts';
import { askProvider } from '../providers/ask-provider.ts';
import type { Providers } from '../providers/routing.ts';
import { firstStatusOf, payoutOrderOf } from './provider-order.ts';
import { insertPayout, openPayout, selectPayout, selectPayoutOfKey } from './queries.ts';
import type { PayoutInput } from './schema.ts';

/** Throws `provider_not_configured` where nobody takes it; its steps `unknown_cost_center` and `provider_error`. */
export function createPayout({ tenantId }: Context, input: PayoutInput, providers: Providers) {
  const provider = providers.choose('payout', input.region, input.currency);
  return idempotentSteps({
    kind: 'payout',
    begin: (sql, claim) => [insertPayout(sql, claim, input, provider.name), selectPayoutOfKey(sql, claim)],
    async ask([, [begun]], { again, log, checkLease }) {
      if (!begun) throw unknownCostCenter(input.cost_center);
      const { id } = begun.snapshot;
      const order = payoutOrderOf(begun.snapshot);
      // The one that an earlier attempt chose.
      const chosen = providers.named(begun.snapshot.provider);
      checkLease();
      const accepted = await askProvider(log, async (signal) => {
        const sent = again ? await chosen.findPayout(id) : undefined;
        signal.throwIfAborted();
        return sent ?? chosen.createPayout(order);
      });
      return { id, status: firstStatusOf(order), accepted };
    },
    complete: (sql, { id, status, accepted }) => openPayout(sql, tenantId, id, status, accepted),
    snapshot: (sql, { id }) => selectPayout(sql, tenantId, id),
  });
}
