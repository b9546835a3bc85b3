/** Money of payments: paid by Pix, boleto or card, in cash, twice, or collected by an agency; refunds, chargebacks and infractions. */
import { isBusinessDay } from '@brazilian-utils/brazilian-utils/is-business-day';
import { addDays, daysFrom } from '../days.ts';
import { type Desk, invalidAction, numberedId, saoPaulo } from './desk.ts';
import { emitPayment, feeOf, newPixTransaction, twinOf } from './payment-orders.ts';
import type { Payment, PriceRule, Refund } from './state.ts';

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
    payment.pixTransaction = newPixTransaction();
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
function creditIfMissed(desk: Desk, payment: Payment): void {
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
const isBegun = ({ status }: Refund): boolean => status !== 'DONE' && status !== 'CANCELLED';

/** Adds an entry only if the payment itself is on the statement. */
function enterReturn(desk: Desk, payment: Payment, value: number, type: string): void {
  const description = `${type} - fatura nr. ${15_000_000 + payment.number}`;
  if (payment.credited) desk.enter({ type, value, description, paymentId: payment.id });
}

function addRefund(
  desk: Desk,
  payment: Payment,
  order: Pick<Refund, 'value' | 'description' | 'status'>,
): Refund {
  const begun: Refund = {
    id: numberedId('rfd', desk.kit.nextNumber()),
    dateCreated: desk.nowText(),
    ...order,
    effectiveDate: null,
    validationAttempts: 0,
  };
  payment.refunds.push(begun);
  return begun;
}

/** Starts a refund of the amount, or of the rest. The money leaves the balance immediately. */
export function refund(
  desk: Desk,
  payment: Payment,
  { value: asked, description = null }: { value?: number | undefined; description?: string | null },
): void {
  const { options, withdrawalValidation } = desk.account;
  if (payment.status !== 'RECEIVED' && payment.status !== 'CONFIRMED')
    throw invalidAction('Somente cobranças confirmadas ou recebidas podem ser estornadas.');
  if (payment.blocked > 0) throw invalidAction('A cobrança está bloqueada por uma infração Pix.');
  const left = payment.value - refunded(payment);
  const value = asked ?? left;
  if (value <= 0 || value > left)
    throw invalidAction('O valor a ser estornado é maior que o valor disponível da cobrança.');
  if (payment.credited && value > desk.balance())
    throw invalidAction('O saldo da conta é insuficiente para realizar o estorno.');
  const begun = addRefund(desk, payment, { value, description, status: 'PENDING' });
  enterReturn(desk, payment, -value, 'PAYMENT_REVERSAL');
  if (refunded(payment) === payment.value) payment.status = 'REFUND_IN_PROGRESS';
  if (options.validatesRefunds && withdrawalValidation !== null && payment.billingType === 'PIX') {
    begun.status = 'AWAITING_CRITICAL_ACTION_AUTHORIZATION';
    desk.later('refunds:validate', desk.now(), payment.id, begun.id);
  } else if (options.refundMs === 0) {
    concludeRefund(desk, payment, begun, 'DONE');
    return;
  } else desk.later('payments:refund', desk.now() + options.refundMs, payment.id, begun.id);
  emitPayment(desk, 'PAYMENT_REFUND_IN_PROGRESS', payment);
}

/** Creates the page on which the payer of a boleto enters a bank account, once. No money moves. */
export function requestBoletoRefund(desk: Desk, payment: Payment): void {
  if (payment.billingType !== 'BOLETO' || payment.status !== 'RECEIVED')
    throw invalidAction('Somente boletos recebidos podem ser estornados.');
  if (payment.refunds.some(isBegun)) return;
  if (refunded(payment) > 0) throw invalidAction('O boleto já foi estornado.');
  const status = 'AWAITING_CUSTOMER_EXTERNAL_AUTHORIZATION';
  addRefund(desk, payment, { value: payment.value, description: null, status });
}

/** The payer enters a bank account: the money leaves the balance. */
export function fillBoletoRefund(desk: Desk, payment: Payment): void {
  requestBoletoRefund(desk, payment);
  const begun = payment.refunds.find(isBegun);
  if (begun === undefined) throw invalidAction('A cobrança não tem estorno aguardando o pagador.');
  enterReturn(desk, payment, -begun.value, 'PAYMENT_REVERSAL');
  concludeRefund(desk, payment, begun, 'DONE');
}

/**
 * The end of a Pix infraction that the payer won: the payment is refunded.
 *
 * @param how.stated whether the refund is on the statement, or the blocked balance became the loss
 * @param how.listed whether the payment lists a refund
 */
export function loseInfraction(
  desk: Desk,
  payment: Payment,
  { stated = true, listed = true }: { stated?: boolean; listed?: boolean },
): void {
  if (payment.status !== 'RECEIVED') throw invalidAction('A cobrança não foi recebida.');
  const value = stated ? payment.value - refunded(payment) : payment.blocked;
  if (value === 0) throw invalidAction('A cobrança não está bloqueada.');
  payment.blocked = 0;
  if (listed) {
    const lost = addRefund(desk, payment, { value, description: 'Infração Pix', status: 'DONE' });
    lost.effectiveDate = desk.nowText();
  }
  if (stated) enterReturn(desk, payment, -value, 'PAYMENT_REVERSAL');
  payment.status = 'REFUNDED';
  emitPayment(desk, 'PAYMENT_REFUNDED', payment);
}

export const begunRefund = (payment: Payment): Refund | undefined => payment.refunds.find(isBegun);

/** Concludes a refund that is in progress. A denied refund returns the money to the account. */
export function concludeRefund(
  desk: Desk,
  payment: Payment,
  begun: Refund | undefined,
  outcome: 'DONE' | 'CANCELLED',
): void {
  if (begun === undefined || !isBegun(begun)) return;
  begun.status = outcome;
  if (outcome === 'CANCELLED') {
    payment.status = payment.credited ? 'RECEIVED' : 'CONFIRMED';
    enterReturn(desk, payment, begun.value, 'PAYMENT_REFUND_CANCELLED');
    emitPayment(desk, 'PAYMENT_REFUND_DENIED', payment);
    creditIfMissed(desk, payment);
    return;
  }
  begun.effectiveDate = desk.nowText();
  const isWhole = refunded(payment) === payment.value;
  if (isWhole) payment.status = 'REFUNDED';
  emitPayment(desk, isWhole ? 'PAYMENT_REFUNDED' : 'PAYMENT_PARTIALLY_REFUNDED', payment);
}

/** A chargeback is requested by the cardholder; disputed, won, reversed or lost by the account. */
export function moveChargeback(
  desk: Desk,
  payment: Payment,
  { step, value }: { step: 'request' | 'dispute' | 'won' | 'reversed' | 'lost'; value?: number | undefined },
): void {
  if (step === 'request') {
    requestChargeback(desk, payment, value ?? payment.value);
    return;
  }
  const { chargeback } = payment;
  if (chargeback === null || chargeback.status === 'REVERSED')
    throw invalidAction('A cobrança não tem chargeback.');
  if (step === 'lost') {
    // Asaas sends no event, and the charge does not change.
    chargeback.status = 'DISPUTE_LOST';
  } else if (step === 'reversed') {
    chargeback.status = 'REVERSED';
    payment.status = chargeback.taken ? 'RECEIVED' : 'CONFIRMED';
    enterReturn(desk, payment, chargeback.value, 'CHARGEBACK_REVERSAL');
    emitPayment(desk, `PAYMENT_${payment.status}`, payment);
    creditIfMissed(desk, payment);
  } else {
    chargeback.status = 'IN_DISPUTE';
    payment.status = step === 'won' ? 'AWAITING_CHARGEBACK_REVERSAL' : 'CHARGEBACK_DISPUTE';
    emitPayment(desk, `PAYMENT_${payment.status}`, payment);
  }
}

function requestChargeback(desk: Desk, payment: Payment, value: number): void {
  if (payment.status !== 'RECEIVED' && payment.status !== 'CONFIRMED')
    throw invalidAction('A cobrança não foi paga.');
  payment.chargeback = {
    id: crypto.randomUUID(),
    status: 'REQUESTED',
    disputeStartDate: desk.today(),
    value,
    taken: payment.credited,
  };
  payment.status = 'CHARGEBACK_REQUESTED';
  enterReturn(desk, payment, -value, 'CHARGEBACK');
  emitPayment(desk, 'PAYMENT_CHARGEBACK_REQUESTED', payment);
}

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
