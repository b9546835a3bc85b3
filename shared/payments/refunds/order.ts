// Maps a refund to the order sent to its provider, and looks up a refund whose outcome is unknown.

import type { ChargeOrder } from '../providers/charge-port.ts';
import { ProviderOutcomeUnknown } from '../providers/errors.ts';
import { type PaymentProvider, refundsOf } from '../providers/provider.ts';
import type { RefundOrder, RefundReport } from '../providers/refund-port.ts';
import type { RefundRow } from './queries.ts';

/** The order sent to the provider. Every attempt sends the same order. */
export const refundOrderOf = ({ id, amount, reason }: RefundRow): RefundOrder => ({
  reference: id,
  amountMinor: amount,
  reason: reason ?? undefined,
});

/**
 * Looks up a refund that an earlier attempt may have sent. Returns undefined if the provider does not have it. Throws
 * `ProviderOutcomeUnknown` if the lookup fails for any reason, because a failed lookup proves nothing.
 */
export async function findRefund(
  provider: PaymentProvider,
  charge: ChargeOrder,
  refund: RefundOrder,
  signal: AbortSignal,
): Promise<RefundReport | undefined> {
  try {
    return await refundsOf(provider).find(charge, refund, signal);
  } catch (error) {
    throw new ProviderOutcomeUnknown('The refund lookup failed.', { cause: error });
  }
}
