// Maps a payout to the order sent to its provider, and finds or resends an order whose outcome is unknown.

import type { JobDependencies } from '../../platform/jobs/job.ts';
import { callProviderInJob, type FoundOrder, type OrderResource, sendInJob } from '../orders/look-up.ts';
import { claimResend, RETRY_FOR_SECOND_LOOKUP } from '../orders/queries.ts';
import { isDefiniteProviderFailure, ProviderOutcomeUnknown } from '../providers/errors.ts';
import type { PayoutOrder, PayoutReport } from '../providers/payout-port.ts';
import { type PaymentProvider, type Providers, payoutsOf } from '../providers/provider.ts';
import { markNotSent, openPayout, type PayoutRow, selectPayout } from './queries.ts';
import type { PayoutStatus } from './states.ts';

export const payoutOrders: OrderResource<PayoutRow, PayoutReport> = {
  table: 'payouts',
  resource: 'payout',
  // The `find` of payouts only reads.
  read: (provider, row, signal) => payoutsOf(provider).find(payoutOrderOf(row), signal),
  find: findOrResend,
  open: (sql, row, accepted) =>
    openPayout(sql, row.tenant_id, row.id, firstStatusOf(payoutOrderOf(row)), accepted),
  snapshot: selectPayout,
};

/**
 * Looks up a payout that an earlier attempt may have sent, and funds it if that attempt created but did not fund it. Returns
 * `undefined` if the provider does not have the payout. Throws `ProviderOutcomeUnknown` if the lookup fails for any reason.
 */
export async function findOrFundPayout(
  provider: PaymentProvider,
  order: PayoutOrder,
  signal: AbortSignal,
): Promise<PayoutReport | undefined> {
  try {
    const found = await payoutsOf(provider).find(order, signal);
    const unpaid =
      found?.state.status === 'incoming_payment_waiting' && payoutsOf(provider).resendPolicy === 'at_once';
    if (!unpaid) return found;
    return await payoutsOf(provider).create({ ...order, providerReference: found.providerReference }, signal);
  } catch (error) {
    throw new ProviderOutcomeUnknown('The payout lookup failed.', { cause: error });
  }
}

/**
 * Finds a payout at its provider, or sends it again where that is safe. Returns the provider's report, or the result of the
 * job: `'done'` if a retry of the request may send the payout, a retry delay while the outcome is unknown.
 */
export async function findOrResend(
  found: FoundOrder<PayoutRow>,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<PayoutReport | 'done' | { retryInSeconds: number }> {
  const { row } = found;
  const session = { role: 'worker', tenantId: row.tenant_id } as const;
  const order = payoutOrderOf(row);
  return await callProviderInJob(row, found, providers, dependencies, async (provider, signal) => {
    const existing = await findOrFundPayout(provider, order, signal);
    if (existing) return existing;
    if (row.ordered_at === null || payoutsOf(provider).resendPolicy === 'at_once') return 'done';
    const [claimed] = await dependencies.database.transaction(session, (sql) =>
      claimResend(sql, 'payouts', row, found.now),
    );
    if (!claimed?.resend) return RETRY_FOR_SECOND_LOOKUP;
    try {
      return await sendInJob(row, found, dependencies, () => payoutsOf(provider).create(order, signal));
    } catch (error) {
      if (!isDefiniteProviderFailure(error)) return RETRY_FOR_SECOND_LOOKUP;
      await dependencies.database.transaction(session, (sql) => markNotSent(sql, row, claimed.ordered_at));
      throw error;
    }
  });
}

/** The order sent to the provider. Every attempt sends the same order. */
export function payoutOrderOf(row: PayoutRow): PayoutOrder {
  const { id, amount, currency, beneficiary, provider_reference: providerReference } = row;
  const kind = beneficiary.bank_account.type === 'pix' ? 'pix' : 'international';
  return {
    reference: id,
    providerReference: providerReference ?? undefined,
    createdAt: new Date(row.created),
    amountMinor: amount,
    currency,
    kind,
    // Nearly every bank requires the type; it defaults to a person.
    beneficiary: { type: 'person', ...beneficiary },
    description: row.contractor_reference ?? id,
  };
}

/** The initial status of a payout. Later changes arrive as notifications. */
export const firstStatusOf = ({ kind }: PayoutOrder): PayoutStatus =>
  kind === 'pix' ? 'processing' : 'created';
