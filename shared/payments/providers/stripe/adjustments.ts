// Computes the adjustment totals of a charge: disputes, conversions and bank transfers. Refunds and disputes are also reported one by one
// (returns.ts).
import type { AdjustmentReason } from '../names.ts';
import type { AdjustmentTotal } from '../order-report.ts';
import { BALANCE_TRANSFER_TYPES, cashMovements, PAYMENT_TRANSFER_TYPES } from './cash.ts';
import { type CallStripe, expanded, idOf } from './client.ts';
import { fromStripe } from './money.ts';
import { isPaid, type Payment } from './payment.ts';
import type { Returns } from './returns.ts';

/** Cash returned to the payer or, if a return fails, received again. It still counts as paid. */
const RETURNS = new Set(['refunded_from_payment', 'return_initiated', 'return_canceled']);

/** Totals by reason and currency. Totals of 0 are kept, because they reverse earlier entries. */
class Totals {
  readonly #sums = new Map<string, AdjustmentTotal>();

  /** `amount` is in Stripe's units, `currency` in lower case. */
  add(reason: AdjustmentReason, currency: string, amount: number): void {
    const key = `${reason} ${currency}`;
    const sum = this.#sums.get(key) ?? { reason, currency: currency.toUpperCase(), amountMinor: 0 };
    this.#sums.set(key, { ...sum, amountMinor: sum.amountMinor + fromStripe(amount, currency) });
  }

  list(): AdjustmentTotal[] {
    return [...this.#sums.values()];
  }
}

/** Pages of one order share a customer, whose cash counts once (`withCash`). */
export async function adjustmentsOf(
  ask: CallStripe,
  signal: AbortSignal,
  payment: Payment,
  returns: Returns,
  { withCash = true }: { withCash?: boolean } = {},
): Promise<AdjustmentTotal[]> {
  const totals = new Totals();
  if (isPaid(payment)) addAfterPayment(payment, returns, totals);
  else addFailedCharge(payment, totals);
  if (withCash) await addCashBalance(ask, signal, payment, totals);
  return totals.list();
}

function addAfterPayment({ session, movement }: Payment, { disputes }: Returns, totals: Totals): void {
  const currency = session.currency ?? '';
  const settled = movement?.currency ?? currency;
  for (const reason of ['chargeback', 'chargeback_won'] as const) totals.add(reason, settled, 0);
  if (movement && settled !== currency) {
    totals.add('conversion', currency, -(session.amount_total ?? 0));
    totals.add('conversion', settled, movement.net);
  }
  // The entry that withdraws the money includes the dispute fee.
  for (const change of disputes.flatMap((dispute) => dispute.balance_transactions)) {
    totals.add(change.net < 0 ? 'chargeback' : 'chargeback_won', change.currency, change.net);
  }
}

/** A pending debit may already be on the balance. If it fails, it is reversed, but its fee remains. */
function addFailedCharge({ charge, movement }: Payment, totals: Totals): void {
  const reversal = expanded(charge?.failure_balance_transaction);
  if (charge?.status !== 'failed' || !movement || !reversal) return;
  totals.add('provider_fee', movement.currency, movement.net);
  totals.add('provider_fee', reversal.currency, reversal.net);
}

/**
 * Money received by bank transfer (`cash.ts`): a partial payment until the order is paid, afterwards the overpayment.
 */
async function addCashBalance(
  ask: CallStripe,
  signal: AbortSignal,
  payment: Payment,
  totals: Totals,
): Promise<void> {
  const { session } = payment;
  const customer = idOf(session.customer);
  if (!customer || !session.currency || !session.payment_method_types.includes('customer_balance')) return;
  const paid = isPaid(payment);
  totals.add('partial_payment', session.currency, 0);
  totals.add('overpaid', session.currency, 0);
  for (const { type, created, currency, net_amount: amount } of await cashMovements(ask, signal, customer)) {
    if (BALANCE_TRANSFER_TYPES.has(type) || (!paid && PAYMENT_TRANSFER_TYPES.has(type))) continue;
    // Amounts returned before the payment succeeded are not part of the paid amount.
    const isReturned = paid && RETURNS.has(type) && created >= (payment.charge?.created ?? 0);
    totals.add(isReturned ? 'returned' : paid ? 'overpaid' : 'partial_payment', currency, amount);
  }
}
