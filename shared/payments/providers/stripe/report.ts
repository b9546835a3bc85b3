// Maps a Stripe payment to the report of its order.
import type { Stripe } from 'stripe';
import type { ChargeOrder } from '../charge-port.ts';
import type { AdjustmentTotal, OrderReport, ProviderState } from '../order-report.ts';
import { adjustmentsOf, summed, totalOf } from './adjustments.ts';
import { type CallStripe, timeOf } from './client.ts';
import { fromStripe } from './money.ts';
import { disputeReports, type Returns, readReturns, refundFees, refundReport } from './returns.ts';
import { isPaid, type Payment } from './sessions.ts';

/** `order` distinguishes expired orders from canceled ones, if known. `isNew`: see `readReturns`. */
export async function reportOf(
  ask: CallStripe,
  payment: Payment,
  order: Pick<ChargeOrder, 'expiresAt'> | undefined,
  { isNew = false }: { isNew?: boolean } = {},
): Promise<OrderReport> {
  const returns = await readReturns(ask, payment, { isNew });
  return {
    providerReference: payment.session.id,
    state: stateOf(payment, order, new Date(), returns),
    refunds: returns.refunds.map(refundReport),
    disputes: disputeReports(returns),
    adjustments: await adjustmentsOf(ask, payment, returns),
  };
}

/**
 * The report of an order with several payment pages: the state of the decisive page, and the amounts of all pages. A second payment on
 * another page is an overpayment.
 */
export async function combinedReport(
  ask: CallStripe,
  payments: readonly Payment[],
  order: Pick<ChargeOrder, 'expiresAt'>,
): Promise<OrderReport | undefined> {
  const decisive = decisivePayment(payments);
  if (!decisive) return undefined;
  const report = await reportOf(ask, decisive, order);
  const totals: AdjustmentTotal[] = [];
  const [refunds, disputes] = [[...(report.refunds ?? [])], [...(report.disputes ?? [])]];
  let { feeMinor } = report.state;
  for (const payment of payments) {
    if (payment === decisive) {
      totals.push(...(report.adjustments ?? []));
      continue;
    }
    const returns = await readReturns(ask, payment, { isNew: false });
    refunds.push(...returns.refunds.map(refundReport));
    disputes.push(...disputeReports(returns));
    totals.push(...(await adjustmentsOf(ask, payment, returns, { withCash: false })));
    totals.push(...overpaymentOf(payment));
    if (isPaid(payment) && feeMinor !== undefined)
      feeMinor += settlementOf(payment.session, payment.movement, returns).feeMinor ?? 0;
  }
  return {
    ...report,
    state: { ...report.state, feeMinor },
    // The first page identifies the order.
    providerReference: payments[0]?.session.id ?? report.providerReference,
    refunds,
    disputes,
    adjustments: summed(totals),
  };
}

/** The overpayment from a page other than the decisive one, if that page was paid. */
function overpaymentOf(payment: Payment): AdjustmentTotal[] {
  const { currency, amount_total: amount } = payment.session;
  return isPaid(payment) && currency && amount ? [totalOf('overpaid', currency, amount)] : [];
}

/** The payment that determines the order's state: the paid one, one in transit, or that of the last page. */
export const decisivePayment = (payments: readonly Payment[]): Payment | undefined =>
  payments.find(isPaid) ?? payments.find(isInTransit) ?? payments.at(-1);

/** Whether the payer has completed the page but the money has not arrived: a debit or bank transfer. */
const isInTransit = ({ session, intent }: Payment): boolean =>
  session.status === 'complete' && (intent?.status === 'processing' || intent?.status === 'requires_action');

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
    const end = order?.expiresAt.getTime() ?? session.expires_at * 1000;
    // The payer can open another page until the order expires.
    if (order && end > now.getTime()) return { ...nothing, status: 'open', at: timeOf(session.created) };
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
