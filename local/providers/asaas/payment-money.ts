/** Incoming money: payments by Pix, boleto or card, in cash, twice, or collected by an agency. */
import { isBusinessDay } from '@brazilian-utils/brazilian-utils/is-business-day';
import { addDays, daysFrom } from '../days.ts';
import { type Desk, invalidAction, saoPaulo } from './desk.ts';
import { emitPayment, feeOf, twinOf } from './payment-orders.ts';
import type { Payment, PriceRule } from './state.ts';

/** Days until the money of a card payment is available, extended to the next business day. */
const CARD_DAYS = 32;
/** Boletos are credited at this time of their credit day. */
const CREDIT_HOUR_MS = 6 * 60 * 60_000;

/** The day itself if it is a business day, otherwise the next business day. The library uses the time zone of this machine. */
function businessDayFrom(day: string): string {
  let found = day;
  while (!isBusinessDay(new Date(`${found}T12:00:00`))) found = addDays(found, 1);
  return found;
}

export const isAwaited = ({ status }: Payment): boolean =>
  ['PENDING', 'OVERDUE', 'DUNNING_REQUESTED', 'AWAITING_RISK_ANALYSIS'].includes(status);

/** Fine and interest, or the discount, of a payment on a day, in cents. */
function termsOn({ value, dueDate, fine, interest, discount }: Payment, day: string) {
  const part = (rule: PriceRule): number =>
    rule.type === 'FIXED' ? rule.value : Math.round((value * rule.value) / 100);
  const daysLate = daysFrom(dueDate, day);
  if (daysLate > 0)
    return { more: part(fine) + Math.round((value * interest.value * daysLate) / 100 / 30), less: 0 };
  return { more: 0, less: day <= addDays(dueDate, -discount.dueDateLimitDays) ? part(discount) : 0 };
}

export interface Paying {
  billingType?: 'PIX' | 'BOLETO' | 'CREDIT_CARD';
  /** In cents. Default: what is due on the day. */
  value?: number | undefined;
  /** The payer's day. Default: today. */
  on?: string;
}

export function pay(desk: Desk, payment: Payment, paying: Paying): void {
  if (!isAwaited(payment)) throw invalidAction('A cobrança não está aguardando pagamento.');
  const billingType =
    paying.billingType ?? (payment.billingType === 'UNDEFINED' ? 'PIX' : payment.billingType);
  const today = desk.today();
  const paidOn = paying.on ?? today;
  const { more, less } = termsOn(payment, paidOn);
  const value = paying.value ?? payment.value + more - less;
  // A payment after deletion restores the charge.
  payment.deleted = false;
  if (value !== payment.value) {
    const excess = value - payment.value;
    payment.originalValue = payment.value;
    payment.interestValue = excess > 0 ? (more > 0 ? Math.min(more, excess) : excess) : null;
    payment.value = value;
  }
  // A boleto that is paid by its Pix code becomes a Pix payment. Unconfirmed.
  payment.billingType = billingType;
  payment.fee = feeOf(desk.account, billingType, value);
  payment.clientPaymentDate = paidOn;
  payment.confirmedDate = today;
  if (billingType === 'PIX') {
    payment.pixTransaction = crypto.randomUUID();
    payment.creditDate = today;
    receive(desk, payment);
    return;
  }
  payment.creditDate = businessDayFrom(addDays(today, billingType === 'BOLETO' ? 1 : CARD_DAYS));
  payment.status = 'CONFIRMED';
  desk.later('payments:credit', saoPaulo.startOf(payment.creditDate) + CREDIT_HOUR_MS, payment.id);
  emitPayment(desk, 'PAYMENT_CONFIRMED', payment);
}

/** Credits the money to the statement. A part of a card payment may have been refunded before it is credited. */
export function receive(desk: Desk, payment: Payment, status = 'RECEIVED'): void {
  const { id: paymentId, value, fee, number } = payment;
  payment.creditDate ??= desk.today();
  payment.status = status;
  payment.paymentDate = desk.today();
  payment.credited = true;
  const subject = `fatura nr. ${15_000_000 + number}`;
  const enter = (type: string, cents: number, description: string) =>
    desk.enter({ type, value: cents, description: `${description} - ${subject}`, paymentId });
  enter('PAYMENT_RECEIVED', value, 'Cobrança recebida');
  enter('PAYMENT_FEE', -fee, 'Taxa da cobrança');
  enter('PAYMENT_REVERSAL', -refunded(payment), 'Estorno da cobrança');
  emitPayment(desk, `PAYMENT_${status}`, payment);
}

/** Runs on the credit day. Refunds and chargebacks in between prevent the credit. */
export function creditWhenDue(desk: Desk, payment: Payment): void {
  if (payment.status === 'CONFIRMED') receive(desk, payment);
}

/** Credits the payment if its credit day passed meanwhile. */
export function creditIfMissed(desk: Desk, payment: Payment): void {
  if (!payment.credited && payment.creditDate !== null && payment.creditDate <= desk.today())
    desk.later('payments:credit', desk.now(), payment.id);
}

/** Pays a charge a second time: a new payment, or only a credit on the statement. */
export function payAgain(desk: Desk, payment: Payment, as: 'new_payment' | 'credit'): Payment {
  if (as === 'credit') {
    const description = `Pagamento em duplicidade da fatura nr. ${15_000_000 + payment.number}`;
    desk.enter({ type: 'CREDIT', value: payment.value, description, paymentId: payment.id });
    return payment;
  }
  const twin = twinOf(desk, payment);
  pay(desk, twin, {});
  return twin;
}

/** Marks a charge as paid in cash. The balance does not change. */
export function receiveInCash(desk: Desk, payment: Payment): void {
  if (payment.deleted || !isAwaited(payment))
    throw invalidAction(
      'Somente cobranças aguardando pagamento ou vencidas podem ser recebidas em dinheiro.',
    );
  const day = desk.today();
  const dates = { clientPaymentDate: day, paymentDate: day, confirmedDate: day };
  Object.assign(payment, { fee: 0, status: 'RECEIVED_IN_CASH', ...dates });
  emitPayment(desk, 'PAYMENT_RECEIVED', payment);
}

export function undoReceivedInCash(desk: Desk, payment: Payment): void {
  if (payment.status !== 'RECEIVED_IN_CASH') throw invalidAction('A cobrança não foi recebida em dinheiro.');
  payment.status = payment.dueDate < desk.today() ? 'OVERDUE' : 'PENDING';
  payment.fee = feeOf(desk.account, payment.billingType, payment.value);
  Object.assign(payment, { clientPaymentDate: null, paymentDate: null, confirmedDate: null });
  emitPayment(desk, 'PAYMENT_RECEIVED_IN_CASH_UNDONE', payment);
}

/** A collection agency is asked, or has collected the money. */
export function dun(desk: Desk, payment: Payment, step: 'request' | 'receive'): void {
  if (step === 'request') {
    payment.status = 'DUNNING_REQUESTED';
    emitPayment(desk, 'PAYMENT_DUNNING_REQUESTED', payment);
    return;
  }
  payment.clientPaymentDate = desk.today();
  payment.confirmedDate = desk.today();
  receive(desk, payment, 'DUNNING_RECEIVED');
}

/** The refunded amount, including refunds in progress. */
export const refunded = (payment: Payment): number =>
  payment.refunds.reduce((sum, { status, value }) => (status === 'CANCELLED' ? sum : sum + value), 0);
/** The risk analysis of a card payment. */
export function judgeRisk(desk: Desk, payment: Payment, step: 'analyse' | 'reprove'): void {
  const isAnalysed = step === 'analyse';
  payment.status = isAnalysed ? 'AWAITING_RISK_ANALYSIS' : 'PENDING';
  emitPayment(
    desk,
    isAnalysed ? 'PAYMENT_AWAITING_RISK_ANALYSIS' : 'PAYMENT_REPROVED_BY_RISK_ANALYSIS',
    payment,
  );
}
