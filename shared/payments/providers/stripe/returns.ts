// Reads and maps the refunds and disputes of a charge.
import type { Stripe } from 'stripe';
import type { DisputeReport } from '../charge-port.ts';
import type { Balance } from '../order-report.ts';
import { type PendingReason, pendingReasons, type RefundReport } from '../refund-port.ts';
import { type CallStripe, collect, expanded, idOf, PAGE_SIZE, timeOf } from './client.ts';
import { fromStripe } from './money.ts';
import { isPaid, type Payment } from './sessions.ts';

/** Metadata key of our refund id on refunds. */
export const REFUND_REFERENCE = 'placar_refund';

/** Members of a refund to expand. */
export const WITH_MOVEMENTS = ['balance_transaction', 'failure_balance_transaction'];

/** Refunds and disputes of a charge. */
export interface Returns {
  refunds: readonly Stripe.Refund[];
  disputes: readonly Stripe.Dispute[];
}

/** `isNew`: whether the charge was created recently enough that all its refunds still count in its refunded amount. */
export async function readReturns(
  ask: CallStripe,
  payment: Payment,
  { isNew }: { isNew: boolean },
): Promise<Returns> {
  const { session, intent, charge } = payment;
  const intentId = intent?.id ?? idOf(session.payment_intent);
  if (!isPaid(payment) || !intentId || !charge) return { refunds: [], disputes: [] };
  const [refunds, disputes] = await Promise.all([
    // A failed refund is not part of `amount_refunded`.
    !isNew || charge.amount_refunded > 0 || isConverted(payment) ? listRefunds(ask, intentId) : [],
    charge.disputed
      ? ask((stripe) => collect(stripe.disputes.list({ payment_intent: intentId, limit: PAGE_SIZE })))
      : [],
  ]);
  return { refunds, disputes };
}

const isConverted = ({ session, movement }: Payment): boolean =>
  movement !== undefined && movement.currency !== session.currency;

/** All refunds of a PaymentIntent, with their balance movements. */
export const listRefunds = (ask: CallStripe, intentId: string): Promise<Stripe.Refund[]> =>
  ask((stripe) =>
    collect(
      stripe.refunds.list({
        payment_intent: intentId,
        limit: PAGE_SIZE,
        expand: WITH_MOVEMENTS.map((member) => `data.${member}`),
      }),
    ),
  );

export function refundReport(refund: Stripe.Refund): RefundReport {
  const { id, amount, currency, metadata, description, reason } = refund;
  const status = statusOf(refund);
  return {
    key: id,
    reference: metadata?.[REFUND_REFERENCE] || undefined,
    status,
    amountMinor: fromStripe(amount, currency),
    description: description ?? reason ?? undefined,
    ...(status === 'pending' && { pendingReason: pendingReasonOf(refund) }),
    ...(status === 'failed' && { failureReason: failureOf(refund) }),
    ...movementsOf(refund),
  };
}

function statusOf({ status }: Stripe.Refund): RefundReport['status'] {
  switch (status) {
    case 'succeeded':
      return 'succeeded';
    case 'failed':
    case 'canceled':
      return 'failed';
    default:
      return 'pending';
  }
}

function pendingReasonOf({ status, pending_reason: reason }: Stripe.Refund): PendingReason {
  if (status === 'requires_action') return 'waiting_for_payer';
  return pendingReasons.find((known) => known === reason) ?? 'processing';
}

const failureOf = ({ status, failure_reason: reason }: Stripe.Refund): string =>
  status === 'canceled' ? 'The provider canceled the refund.' : `The refund failed: ${reason ?? 'unknown'}.`;

function movementsOf(refund: Stripe.Refund): Pick<RefundReport, 'moved' | 'returned'> {
  const moved = expanded(refund.balance_transaction);
  const returned = expanded(refund.failure_balance_transaction);
  return {
    ...(moved && { moved: changeOf(moved) }),
    ...(returned && { returned: changeOf(returned) }),
  };
}

/** Fees that are returned with a refund correct the fee of the charge (`feeReturned`). */
const changeOf = ({ amount, currency }: Stripe.BalanceTransaction): Balance => ({
  currency: currency.toUpperCase(),
  amountMinor: fromStripe(amount, currency),
});

/** The fees of refunds in the currency of the charge, in minor units: negative if fees were returned. */
export function refundFees({ refunds }: Returns, currency: string): number {
  return refunds
    .flatMap((refund) => [
      expanded(refund.balance_transaction) ?? [],
      expanded(refund.failure_balance_transaction) ?? [],
    ])
    .flat()
    .filter((change) => change.currency === currency)
    .reduce((sum, { fee }) => sum + fromStripe(fee, currency), 0);
}

const decisionOf = (status: Stripe.Dispute['status']): DisputeReport['status'] =>
  status === 'won' ? 'won' : status === 'lost' ? 'lost' : 'open';

/** Inquiries withdraw no money and can still be refunded. */
export const disputeReports = ({ disputes }: Returns): DisputeReport[] =>
  disputes
    .filter(({ status }) => !status.startsWith('warning_'))
    .map(({ id, status, amount, currency, created }) => ({
      providerReference: id,
      status: decisionOf(status),
      amountMinor: fromStripe(amount, currency),
      openedAt: timeOf(created),
    }));
