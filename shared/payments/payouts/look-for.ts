import {
  type PaymentProvider,
  type PayoutOrder,
  type PayoutReport,
  ProviderSilence,
} from '../providers/provider.ts';

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
