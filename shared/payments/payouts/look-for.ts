import {
  type PaymentProvider,
  type PayoutOrder,
  type PayoutReport,
  ProviderSilence,
} from '../providers/provider.ts';

/** Looks for a payout that an earlier attempt may have sent. Whatever keeps it from finding out says nothing of that attempt. */
export async function lookForPayout(
  provider: PaymentProvider,
  order: PayoutOrder,
  signal: AbortSignal,
): Promise<PayoutReport | undefined> {
  try {
    return await provider.findPayout(order, signal);
  } catch (error) {
    throw new ProviderSilence('The payout could not be looked for.', { cause: error });
  }
}
