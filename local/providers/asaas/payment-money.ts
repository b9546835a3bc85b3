/** Incoming money: payments by Pix, boleto or card, in cash, twice, or collected by an agency. */
import { addDays, daysFrom } from '../days.ts';
import { DIGITS, randomText } from '../random.ts';
import { businessDayFrom, nextBusinessDay, saoPaulo } from './calendar.ts';
import { invalidAction } from './errors.ts';
import { emitPayment, feeOf } from './payment-orders.ts';
import { type AsaasServices, endToEndId, paymentIds } from './services.ts';
import type { Account, Payment } from './state.ts';

export type ChosenBillingType = 'PIX' | 'BOLETO' | 'CREDIT_CARD';

/** Days until the money of a card payment is available, extended to the next business day. */
const CARD_DAYS = 32;
/** Boletos are credited at this time of their credit day. */
const CREDIT_HOUR_MS = 6 * 60 * 60_000;

export const isAwaited = ({ status }: Payment): boolean =>
  status === 'PENDING' ||
  status === 'OVERDUE' ||
  status === 'DUNNING_REQUESTED' ||
  status === 'AWAITING_RISK_ANALYSIS';

/** Fine and interest, or the discount, of a payment on a day, in cents. */
function termsOn({ value, dueDate, fine, interest, discount }: Payment, day: string) {
  const part = (rule: { value: number; type: 'FIXED' | 'PERCENTAGE' }): number =>
    rule.type === 'FIXED' ? rule.value : Math.round((value * rule.value) / 100);
  const daysLate = daysFrom(dueDate, day);
  if (daysLate > 0)
    return { more: part(fine) + Math.round((value * interest.value * daysLate) / 100 / 30), less: 0 };
  return { more: 0, less: day <= addDays(dueDate, -discount.dueDateLimitDays) ? part(discount) : 0 };
}

/**
 * Pays a charge.
 *
 * @param value in cents; default: what is due on the day
 * @param on the payer's day; default: today
 */
export function pay(
  services: AsaasServices,
  account: Account,
  payment: Payment,
  paid: { billingType?: ChosenBillingType; value?: number; on?: string },
): void {
  if (!isAwaited(payment)) throw invalidAction('A cobrança não está aguardando pagamento.');
  const billingType = paid.billingType ?? (payment.billingType === 'UNDEFINED' ? 'PIX' : payment.billingType);
  const today = services.today();
  const paidOn = paid.on ?? today;
  const { more, less } = termsOn(payment, paidOn);
  const value = paid.value ?? payment.value + more - less;
  // A payment after deletion restores the charge.
  payment.deleted = false;
  if (value !== payment.value) {
    payment.originalValue = payment.value;
    const excess = value - payment.value;
    payment.interestValue = excess > 0 ? (more > 0 ? Math.min(more, excess) : excess) : null;
    payment.value = value;
  }
  const keepsBoleto =
    payment.billingType === 'BOLETO' && billingType === 'PIX' && !account.options.bolepixBecomesPix;
  if (!keepsBoleto) payment.billingType = billingType;
  payment.fee = feeOf(account, billingType, value);
  payment.clientPaymentDate = paidOn;
  payment.confirmedDate = today;
  if (billingType === 'PIX') {
    payment.pixTransaction = crypto.randomUUID();
    payment.creditDate = today;
    payment.estimatedCreditDate = today;
    receive(services, account, payment);
    return;
  }
  const creditDate =
    billingType === 'BOLETO' ? nextBusinessDay(today) : businessDayFrom(addDays(today, CARD_DAYS));
  payment.status = 'CONFIRMED';
  payment.creditDate = creditDate;
  payment.estimatedCreditDate = creditDate;
  payment.creditJob = services.kit.scheduler.schedule(
    'payments:credit',
    saoPaulo.startOf(creditDate) + CREDIT_HOUR_MS,
    {
      account: account.id,
      payment: payment.id,
    },
  );
  emitPayment(services, account, 'PAYMENT_CONFIRMED', payment);
}

/** Immediately credits money that was scheduled for later. */
export function receiveToday(services: AsaasServices, account: Account, payment: Payment): void {
  if (payment.creditJob !== null) services.kit.scheduler.cancel(payment.creditJob);
  payment.creditDate = services.today();
  payment.estimatedCreditDate = services.today();
  receive(services, account, payment);
}

/** Credits the money to the statement. */
export function receive(
  services: AsaasServices,
  account: Account,
  payment: Payment,
  status: Payment['status'] = 'RECEIVED',
): void {
  payment.creditJob = null;
  payment.status = status;
  payment.paymentDate = services.today();
  credit(services, account, payment);
  emitPayment(
    services,
    account,
    status === 'DUNNING_RECEIVED' ? 'PAYMENT_DUNNING_RECEIVED' : 'PAYMENT_RECEIVED',
    payment,
  );
}

function credit(services: AsaasServices, account: Account, payment: Payment): void {
  const { id: paymentId, value, fee, number } = payment;
  payment.credited = true;
  const what = `fatura nr. ${15_000_000 + number}`;
  services.enter(account, {
    type: 'PAYMENT_RECEIVED',
    value,
    description: `Cobrança recebida - ${what}`,
    paymentId,
  });
  services.enter(account, {
    type: 'PAYMENT_FEE',
    value: -fee,
    description: `Taxa da cobrança - ${what}`,
    paymentId,
  });
  // A part of a card payment may have been refunded before it is credited.
  services.enter(account, {
    type: 'PAYMENT_REVERSAL',
    value: -refunded(payment),
    description: `Estorno da cobrança - ${what}`,
    paymentId,
  });
}

/** The refunded amount, including refunds in progress. */
export const refunded = (payment: Payment): number =>
  payment.refunds.reduce((sum, { status, value }) => (status === 'CANCELLED' ? sum : sum + value), 0);

/** Runs on the credit day. Refunds and chargebacks in between prevent the credit. */
export function creditWhenDue(services: AsaasServices, account: Account, payment: Payment): void {
  payment.creditJob = null;
  if (payment.status === 'CONFIRMED') receive(services, account, payment);
}

/**
 * Pays the same charge a second time.
 *
 * @param as a new received payment, or only a credit on the statement
 */
export function payAgain(
  services: AsaasServices,
  account: Account,
  payment: Payment,
  as: 'new_payment' | 'credit',
): Payment {
  if (as === 'credit') {
    services.enter(account, {
      type: 'CREDIT',
      value: payment.value,
      description: `Pagamento em duplicidade da fatura nr. ${15_000_000 + payment.number}`,
      paymentId: payment.id,
    });
    return payment;
  }
  const twin: Payment = {
    ...structuredClone(payment),
    ...paymentIds(account.options.idFormat),
    number: services.kit.nextNumber(),
    dateCreated: services.today(),
    status: 'PENDING',
    nossoNumero: payment.nossoNumero === null ? null : randomText(DIGITS.slice(1), 8),
    credited: false,
    refunds: [],
    blocked: 0,
    chargeback: null,
    creditJob: null,
    overdueJob: null,
  };
  account.payments.push(twin);
  emitPayment(services, account, 'PAYMENT_CREATED', twin);
  pay(services, account, twin, {});
  return twin;
}

/** Marks a charge as paid in cash. The balance does not change. */
export function receiveInCash(
  services: AsaasServices,
  account: Account,
  payment: Payment,
  { value, paymentDate }: { value: number | undefined; paymentDate: string | undefined },
): void {
  if (payment.deleted || !isAwaited(payment)) {
    throw invalidAction(
      'Somente cobranças aguardando pagamento ou vencidas podem ser recebidas em dinheiro.',
    );
  }
  const day = paymentDate ?? services.today();
  if (value !== undefined && value !== payment.value) {
    payment.originalValue = payment.value;
    payment.value = value;
  }
  payment.fee = 0;
  payment.status = 'RECEIVED_IN_CASH';
  payment.clientPaymentDate = day;
  payment.paymentDate = day;
  payment.confirmedDate = day;
  emitPayment(services, account, 'PAYMENT_RECEIVED', payment);
}

export function undoReceivedInCash(services: AsaasServices, account: Account, payment: Payment): void {
  if (payment.status !== 'RECEIVED_IN_CASH') throw invalidAction('A cobrança não foi recebida em dinheiro.');
  payment.status = payment.dueDate < services.today() ? 'OVERDUE' : 'PENDING';
  payment.value = payment.originalValue ?? payment.value;
  payment.originalValue = null;
  payment.fee = feeOf(account, payment.billingType, payment.value);
  payment.clientPaymentDate = null;
  payment.paymentDate = null;
  payment.confirmedDate = null;
  emitPayment(services, account, 'PAYMENT_RECEIVED_IN_CASH_UNDONE', payment);
}

/** Actions of a collection agency: the request, and the collected money. */
export function requestDunning(services: AsaasServices, account: Account, payment: Payment): void {
  if (payment.status !== 'OVERDUE') throw invalidAction('Somente cobranças vencidas podem ser negativadas.');
  payment.status = 'DUNNING_REQUESTED';
  emitPayment(services, account, 'PAYMENT_DUNNING_REQUESTED', payment);
}

export function receiveDunning(services: AsaasServices, account: Account, payment: Payment): void {
  if (payment.status !== 'DUNNING_REQUESTED') throw invalidAction('A cobrança não está negativada.');
  payment.clientPaymentDate = services.today();
  payment.confirmedDate = services.today();
  payment.creditDate = services.today();
  receive(services, account, payment, 'DUNNING_RECEIVED');
  services.enter(account, {
    type: 'PAYMENT_DUNNING_RECEIVED_FEE',
    value: -account.options.fees.dunning,
    description: 'Taxa de recebimento de negativação',
    paymentId: payment.id,
  });
}

/** The end-to-end id of a Pix refund. */
export const refundEndToEnd = (services: AsaasServices): string =>
  endToEndId(services.now()).replace('E', 'D');
