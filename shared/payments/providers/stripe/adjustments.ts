// Computes the adjustment totals of a charge: refunds, disputes, conversions and bank transfers.
import type { AdjustmentReason } from '../names.ts';
import type { AdjustmentTotal } from '../provider.ts';
import { BETWEEN_BALANCES, BETWEEN_PAYMENTS, cashMovements } from './cash.ts';
import { type CallStripe, expanded, idOf } from './client.ts';
import { fromStripe } from './money.ts';
import { isPaid, type Payment } from './payment.ts';

const PAGE = 100;

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
  { withCash = true }: { withCash?: boolean } = {},
): Promise<AdjustmentTotal[]> {
  const totals = new Totals();
  if (isPaid(payment)) await addAfterPayment(ask, signal, payment, totals);
  else addFailedCharge(payment, totals);
  if (withCash) await addCashBalance(ask, signal, payment, totals);
  return totals.list();
}

async function addAfterPayment(
  ask: CallStripe,
  signal: AbortSignal,
  { session, intent, charge, movement }: Payment,
  totals: Totals,
): Promise<void> {
  const currency = session.currency ?? '';
  const settled = movement?.currency ?? currency;
  for (const reason of ['refund', 'chargeback', 'chargeback_won'] as const) totals.add(reason, settled, 0);
  if (movement && settled !== currency) {
    totals.add('conversion', currency, -(session.amount_total ?? 0));
    totals.add('conversion', settled, movement.net);
  }
  const intentId = intent?.id ?? idOf(session.payment_intent);
  if (!intentId) return;
  const [refunds, disputes] = await Promise.all([
    // A failed refund is not part of `amount_refunded`, but after a conversion it leaves an exchange rate difference.
    charge && (charge.amount_refunded > 0 || settled !== currency)
      ? ask(signal, (stripe) =>
          collect(
            stripe.refunds.list({
              payment_intent: intentId,
              limit: PAGE,
              expand: ['data.balance_transaction', 'data.failure_balance_transaction'],
            }),
          ),
        )
      : [],
    charge?.disputed
      ? ask(signal, (stripe) => collect(stripe.disputes.list({ payment_intent: intentId, limit: PAGE })))
      : [],
  ]);
  for (const refund of refunds) {
    for (const entry of [refund.balance_transaction, refund.failure_balance_transaction]) {
      const change = expanded(entry);
      if (change) totals.add('refund', change.currency, change.net);
    }
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
  for (const { type, currency, net_amount: amount } of await cashMovements(ask, signal, customer)) {
    if (BETWEEN_BALANCES.has(type) || (!paid && BETWEEN_PAYMENTS.has(type))) continue;
    totals.add(paid ? 'overpaid' : 'partial_payment', currency, amount);
  }
}

/** Collects all pages. */
async function collect<T>(list: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) items.push(item);
  return items;
}
