/** Bank debits: the payer agrees, and the bank concludes the debit later. */
import { businessDaysAfter } from './calendar.ts';
import { type Decline, debitOf } from './cards.ts';
import { refused } from './errors.ts';
import { feeOf } from './methods.ts';
import { makeCharge, makeMethod, type Payer } from './payment-objects.ts';
import {
  begin,
  chargeOf,
  enterCharge,
  failCharge,
  methodOf,
  planDispute,
  sessionOf,
  succeed,
} from './payments.ts';
import type { StripeServices } from './services.ts';
import { completeSession, concludeSession } from './session-life.ts';
import type { Account, Charge, PaymentIntent, Session } from './state.ts';

/** The payer agrees to a bank debit. */
export function payByDebit(
  services: StripeServices,
  account: Account,
  session: Session,
  method: 'us_bank_account' | 'sepa_debit',
  payment: Payer & { number: string },
): void {
  const intent = begin(services, account, session, method);
  const { id: methodId } = makeMethod(services, account, payment, {
    ...payment,
    method,
    customer: session.customer,
  });
  intent.payment_method = methodId;
  intent.status = 'processing';
  const way = { method, methodId, number: payment.number, status: 'pending' } as const;
  const charge = makeCharge(services, account, intent, payment, way);
  if (account.options.entryOfPending) enterCharge(services, account, charge);
  services.emit(account, 'payment_intent.processing', intent);
  services.emit(account, 'charge.pending', charge);
  completeSession(services, account, session, payment, 'unpaid');
  if (debitOf(payment.number) === null) return;
  const dueAtMs = processedAtMs(services, account, method);
  services.schedule('payments:conclude', dueAtMs, account, { intent: intent.id, number: payment.number });
}

function processedAtMs(
  services: StripeServices,
  { options, livemode }: Account,
  method: 'us_bank_account' | 'sepa_debit',
): number {
  const waitMs = options.processingMs ?? (livemode ? undefined : 2000);
  if (waitMs !== undefined) return services.nowMs() + waitMs;
  return businessDaysAfter(services.now(), method === 'sepa_debit' ? 5 : 4) * 1000;
}

/** The bank's response to a debit that is processing. */
export function concludeDebit(
  services: StripeServices,
  account: Account,
  intent: PaymentIntent,
  decline: Decline | undefined,
): void {
  if (intent.status !== 'processing') throw refused(`The intent is ${intent.status}, not processing.`);
  const charge = chargeOf(account, intent.latest_charge);
  const session = sessionOf(account, intent);
  if (decline !== undefined) {
    charge.status = 'failed';
    charge.captured = false;
    charge.amount_captured = 0;
    if (charge.balance_transaction !== null) uncountRequest(services, account, charge);
    const fee = account.options.failureFee;
    if (fee > 0) {
      const words = { source: null, description: 'Bank debit failure fee', currency: charge.currency };
      services.enter(account, { type: 'stripe_fee', reportingCategory: 'fee', amount: -fee, ...words });
    }
    failCharge(services, account, intent, charge, decline);
    if (session !== undefined) concludeSession(services, account, session, 'unpaid');
    return;
  }
  charge.status = 'succeeded';
  succeed(services, account, intent, charge);
  if (session !== undefined) concludeSession(services, account, session, 'paid');
}

/** The outcome depends on the number of the bank account. */
export function concludeByNumber(
  services: StripeServices,
  account: Account,
  intent: PaymentIntent,
  number: string,
): void {
  // The outcome was already set by a control route.
  if (intent.status !== 'processing') return;
  const outcome = debitOf(number);
  concludeDebit(services, account, intent, outcome?.decline);
  if (outcome?.dispute !== undefined)
    planDispute(services, account, chargeOf(account, intent.latest_charge), outcome);
}

function uncountRequest(services: StripeServices, account: Account, charge: Charge): void {
  const { id } = services.enter(account, {
    type: 'payment_failure_refund',
    reportingCategory: 'charge_failure',
    amount: -charge.amount,
    fee: -feeOf(account.options.fees[methodOf(account, charge)], charge.amount),
    currency: charge.currency,
    source: charge.id,
    description: charge.description,
    availableOn:
      account.transactions.find((one) => one.id === charge.balance_transaction)?.available_on ??
      services.now(),
  });
  charge.failure_balance_transaction = id;
}
