/** Outgoing money: refunds, chargebacks of card payments, and Pix infractions. */
import { type Desk, invalidAction, numberedId } from './desk.ts';
import { creditIfMissed, refunded } from './payment-money.ts';
import { emitPayment } from './payment-orders.ts';
import type { Payment, Refund } from './state.ts';

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
