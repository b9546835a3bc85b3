// Maps a Stripe payment to the report of its order.
import type { Stripe } from 'stripe';
import type { ChargeOrder, OrderReport, ProviderState } from '../provider.ts';
import { adjustmentsOf } from './adjustments.ts';
import { type CallStripe, timeOf } from './client.ts';
import { fromStripe } from './money.ts';
import { isPaid, type Payment } from './payment.ts';
import { disputeReports, type Returns, readReturns, refundFees, refundReport } from './returns.ts';

/** `order` distinguishes expired orders from canceled ones, if known. `isNew`: see `readReturns`. */
export async function reportOf(
  ask: CallStripe,
  signal: AbortSignal,
  payment: Payment,
  order: Pick<ChargeOrder, 'expiresAt'> | undefined,
  { isNew = false }: { isNew?: boolean } = {},
): Promise<OrderReport> {
  const returns = await readReturns(ask, signal, payment, { isNew });
  return {
    providerReference: payment.session.id,
    state: stateOf(payment, order, new Date(), returns),
    refunds: returns.refunds.map(refundReport),
    disputes: disputeReports(returns),
    adjustments: await adjustmentsOf(ask, signal, payment, returns),
  };
}

export function stateOf(
  payment: Payment,
  order: Pick<ChargeOrder, 'expiresAt'> | undefined,
  now: Date,
  returns?: Returns,
): ProviderState {
  const { session, intent, charge, movement } = payment;
  const nothing = { feeMinor: undefined, availableOn: undefined, reason: undefined };
  if (isPaid(payment)) {
    const at = timeOf(Math.max(charge?.created ?? session.created, movement?.created ?? 0));
    return { ...nothing, status: 'paid', at, ...settlementOf(session, movement, returns) };
  }
  if (session.status === 'expired') {
    const end = Math.min(session.expires_at * 1000, order?.expiresAt.getTime() ?? Number.POSITIVE_INFINITY);
    if (end <= now.getTime())
      return {
        ...nothing,
        status: 'failed',
        at: new Date(end),
        reason: 'The invoice expired before it was paid.',
      };
    return { ...nothing, status: 'canceled', at: now };
  }
  if (intent?.status === 'canceled') {
    return { ...nothing, status: 'canceled', at: intent.canceled_at ? timeOf(intent.canceled_at) : now };
  }
  // The session is complete, but the payment failed, for example a debit without funds.
  if (session.status === 'complete' && intent?.status === 'requires_payment_method') {
    const reason = intent.last_payment_error?.message ?? 'The payment failed.';
    return { ...nothing, status: 'failed', at: charge ? timeOf(charge.created) : now, reason };
  }
  return { ...nothing, status: 'open', at: timeOf(session.created) };
}

/** If the charge settles in another currency, the fee is part of the `conversion` adjustment. */
function settlementOf(
  { currency }: Stripe.Checkout.Session,
  movement: Stripe.BalanceTransaction | undefined,
  returns: Returns | undefined,
): Pick<ProviderState, 'feeMinor' | 'availableOn'> {
  if (!movement) return { feeMinor: undefined, availableOn: undefined };
  return {
    feeMinor:
      movement.currency === currency
        ? fromStripe(movement.fee, movement.currency) + (returns ? refundFees(returns, movement.currency) : 0)
        : 0,
    availableOn: timeOf(movement.available_on).toISOString().slice(0, 10),
  };
}
