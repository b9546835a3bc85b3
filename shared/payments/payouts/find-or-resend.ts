// A payout that an earlier attempt may have sent: it is looked for, and sent again where that is safe.
import type { JobDependencies } from '../../platform/jobs/job.ts';
import { askProviderInJob, type FoundOrder } from '../orders/look-up.ts';
import { isNothingDone } from '../providers/ask-provider.ts';
import {
  type PaymentProvider,
  type PayoutOrder,
  type PayoutReport,
  ProviderSilence,
  type Providers,
} from '../providers/provider.ts';
import { payoutOrderOf } from './provider-order.ts';
import { claimResend, noteNotOrdered } from './queries.ts';
import type { PayoutRow } from './serialize.ts';

/** Between two looks for a payout before it is sent again. */
const BETWEEN_LOOKS_SECONDS = 30;

/**
 * Looks for a payout that an earlier attempt may have sent, and has it paid for where that attempt did not come so far. Whatever keeps it
 * from finding out says nothing of that attempt.
 */
export async function lookForPayout(
  provider: PaymentProvider,
  order: PayoutOrder,
  signal: AbortSignal,
): Promise<PayoutReport | undefined> {
  try {
    const found = await provider.findPayout(order, signal);
    const unpaid =
      found?.state.status === 'incoming_payment_waiting' && provider.resendsPayouts === 'at_once';
    if (!unpaid) return found;
    return await provider.createPayout({ ...order, providerReference: found.providerReference }, signal);
  } catch (error) {
    throw new ProviderSilence('The payout could not be looked for.', { cause: error });
  }
}

/**
 * A payout as its provider has it: found there, or sent again where that is safe. Else what becomes of the job: it is done where a
 * retry of the request may send it, and runs again while nobody knows.
 */
export async function findOrResend(
  found: FoundOrder<PayoutRow>,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<PayoutReport | 'done' | { againInSeconds: number }> {
  const { row } = found;
  const { tenant_id: tenantId, id } = row;
  const session = { role: 'worker', tenantId } as const;
  const order = payoutOrderOf(row);
  return await askProviderInJob(row, found, providers, dependencies, async (provider, signal) => {
    const there = await lookForPayout(provider, order, signal);
    if (there) return there;
    if (row.ordered_at === null || provider.resendsPayouts === 'at_once') return 'done';
    const [claimed] = await dependencies.database.transaction(session, (sql) =>
      claimResend(sql, tenantId, id, { lookedAt: found.now, betweenLooksSeconds: BETWEEN_LOOKS_SECONDS }),
    );
    if (!claimed?.resend) return { againInSeconds: BETWEEN_LOOKS_SECONDS };
    try {
      return await provider.createPayout(order, signal);
    } catch (error) {
      if (!isNothingDone(error)) return { againInSeconds: BETWEEN_LOOKS_SECONDS };
      await dependencies.database.transaction(session, (sql) => noteNotOrdered(sql, row, claimed.ordered_at));
      throw error;
    }
  });
}
