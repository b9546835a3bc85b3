// Computes the adjustment totals of a charge: disputes, conversions and bank transfers. Refunds and disputes are also reported one by one
// (returns.ts).
import type { AdjustmentReason, AdjustmentTotal } from '../order-report.ts';
import { BALANCE_TRANSFER_TYPES, cashMovements, PAYMENT_TRANSFER_TYPES } from './cash.ts';
import { type CallStripe, expanded, idOf } from './client.ts';
import { fromStripe } from './money.ts';
import type { Returns } from './returns.ts';
import { isPaid, type Payment } from './sessions.ts';

/** Cash returned to the payer or, if a return fails, received again. It still counts as paid. */
const RETURNS = new Set(['refunded_from_payment', 'return_initiated', 'return_canceled']);

/** `amount` is in Stripe's units, `currency` in lower case. */
export const totalOf = (reason: AdjustmentReason, currency: string, amount: number): AdjustmentTotal => ({
  reason,
  currency: currency.toUpperCase(),
  amountMinor: fromStripe(amount, currency),
});

/** One total for each reason and currency. Totals of 0 are kept, because they reverse earlier entries. */
export function summed(totals: readonly AdjustmentTotal[]): AdjustmentTotal[] {
  const sums = new Map<string, AdjustmentTotal>();
  for (const { reason, currency, amountMinor } of totals) {
    const key = `${reason} ${currency}`;
    sums.set(key, { reason, currency, amountMinor: amountMinor + (sums.get(key)?.amountMinor ?? 0) });
  }
  return [...sums.values()];
}

/** Pages of one order share a customer, whose cash counts once (`withCash`). */
export async function adjustmentsOf(
  ask: CallStripe,
  payment: Payment,
  returns: Returns,
  { withCash = true }: { withCash?: boolean } = {},
): Promise<AdjustmentTotal[]> {
  return summed([
    ...(isPaid(payment) ? totalsAfterPayment(payment, returns) : totalsOfFailedCharge(payment)),
    ...(withCash ? await totalsOfCash(ask, payment) : []),
  ]);
}

function totalsAfterPayment({ session, movement }: Payment, { disputes }: Returns): AdjustmentTotal[] {
  const currency = session.currency ?? '';
  const settled = movement?.currency ?? currency;
  const isConverted = movement && settled !== currency;
  // The entry that withdraws the money includes the dispute fee.
  const disputed = disputes.flatMap((dispute) => dispute.balance_transactions);
  return [
    totalOf('chargeback', settled, 0),
    totalOf('chargeback_won', settled, 0),
    ...(isConverted ? [totalOf('conversion', currency, -(session.amount_total ?? 0))] : []),
    ...(isConverted ? [totalOf('conversion', settled, movement.net)] : []),
    ...disputed.map(({ currency, net }) => totalOf(net < 0 ? 'chargeback' : 'chargeback_won', currency, net)),
  ];
}

/** A pending debit may already be on the balance. If it fails, it is reversed, but its fee remains. */
function totalsOfFailedCharge({ charge, movement }: Payment): AdjustmentTotal[] {
  const reversal = expanded(charge?.failure_balance_transaction);
  if (charge?.status !== 'failed' || !movement || !reversal) return [];
  return [movement, reversal].map(({ currency, net }) => totalOf('provider_fee', currency, net));
}

/** Money received by bank transfer (`cash.ts`): a partial payment until the order is paid, afterwards the overpayment. */
async function totalsOfCash(ask: CallStripe, payment: Payment): Promise<AdjustmentTotal[]> {
  const { session } = payment;
  const customer = idOf(session.customer);
  if (!customer || !session.currency || !session.payment_method_types.includes('customer_balance')) return [];
  const paid = isPaid(payment);
  const totals = [totalOf('partial_payment', session.currency, 0), totalOf('overpaid', session.currency, 0)];
  for (const { type, created, currency, net_amount: amount } of await cashMovements(ask, customer)) {
    if (BALANCE_TRANSFER_TYPES.has(type) || (!paid && PAYMENT_TRANSFER_TYPES.has(type))) continue;
    // Amounts returned before the payment succeeded are not part of the paid amount.
    const isReturned = paid && RETURNS.has(type) && created >= (payment.charge?.created ?? 0);
    totals.push(totalOf(isReturned ? 'returned' : paid ? 'overpaid' : 'partial_payment', currency, amount));
  }
  return totals;
}
