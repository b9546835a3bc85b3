/** Outgoing money: refunds, and chargebacks of card payments. */
import { type Bank, numberedId } from './bank.ts';
import { invalidAction } from './errors.ts';
import { refundEndToEnd, refunded } from './payment-money.ts';
import { emitPayment } from './payment-orders.ts';
import type { Account, Payment, Refund } from './state.ts';

/**
 * Starts a refund. The money leaves the balance immediately.
 *
 * @param order.value in cents; default: the remaining amount
 */
export function refund(
  bank: Bank,
  account: Account,
  payment: Payment,
  order: { value: number | undefined; description: string | null },
): void {
  if (payment.status !== 'RECEIVED' && payment.status !== 'CONFIRMED') {
    throw invalidAction('Somente cobranças confirmadas ou recebidas podem ser estornadas.');
  }
  const left = payment.value - refunded(payment);
  const value = order.value ?? left;
  if (value <= 0 || value > left) {
    throw invalidAction('O valor a ser estornado é maior que o valor disponível da cobrança.');
  }
  if (payment.credited && value > bank.balanceOf(account)) {
    throw invalidAction('O saldo da conta é insuficiente para realizar o estorno.');
  }
  const begun: Refund = {
    id: numberedId('rfd', bank.kit.nextNumber()),
    dateCreated: bank.nowText(),
    status: 'PENDING',
    value,
    description: order.description,
    endToEndIdentifier: null,
    effectiveDate: null,
  };
  payment.refunds.push(begun);
  enterReturn(bank, account, payment, -value, 'PAYMENT_REVERSAL', 'Estorno da cobrança');
  if (account.options.refundMs === 0) {
    concludeRefund(bank, account, payment, begun.id, 'DONE');
    return;
  }
  if (refunded(payment) === payment.value) payment.status = 'REFUND_IN_PROGRESS';
  emitPayment(bank, account, 'PAYMENT_REFUND_IN_PROGRESS', payment);
  bank.kit.agenda.plan('payments:refund', bank.now() + account.options.refundMs, {
    account: account.id,
    payment: payment.id,
    refund: begun.id,
  });
}

/** Concludes a refund. A denied refund returns the money to the account. */
export function concludeRefund(
  bank: Bank,
  account: Account,
  payment: Payment,
  refundId: string,
  outcome: 'DONE' | 'CANCELLED',
): void {
  const begun = payment.refunds.find(({ id }) => id === refundId);
  if (begun?.status !== 'PENDING') return;
  begun.status = outcome;
  if (outcome === 'CANCELLED') {
    payment.status = payment.credited ? 'RECEIVED' : 'CONFIRMED';
    enterReturn(bank, account, payment, begun.value, 'PAYMENT_REFUND_CANCELLED', 'Estorno cancelado');
    emitPayment(bank, account, 'PAYMENT_REFUND_DENIED', payment);
    creditIfMissed(bank, account, payment);
    return;
  }
  begun.effectiveDate = bank.nowText();
  if (payment.billingType === 'PIX') begun.endToEndIdentifier = refundEndToEnd(bank);
  if (refunded(payment) < payment.value) {
    emitPayment(bank, account, 'PAYMENT_PARTIALLY_REFUNDED', payment);
    return;
  }
  payment.status = 'REFUNDED';
  emitPayment(bank, account, 'PAYMENT_REFUNDED', payment);
}

/** Adds an entry only if the payment itself is on the statement. */
function enterReturn(
  bank: Bank,
  account: Account,
  payment: Payment,
  value: number,
  type: string,
  words: string,
): void {
  if (!payment.credited) return;
  const description = `${words} - fatura nr. ${15_000_000 + payment.number}`;
  bank.enter(account, { type, value, description, paymentId: payment.id });
}

/** Starts a chargeback by the cardholder. */
export function requestChargeback(
  bank: Bank,
  account: Account,
  payment: Payment,
  { reason, value }: { reason: string; value: number | undefined },
): void {
  if (payment.status !== 'RECEIVED' && payment.status !== 'CONFIRMED') {
    throw invalidAction('A cobrança não foi paga.');
  }
  payment.chargeback = {
    id: crypto.randomUUID(),
    status: 'REQUESTED',
    disputeStatus: null,
    reason,
    disputeStartDate: bank.today(),
    value: value ?? payment.value,
    before: payment.status,
    taken: payment.credited,
  };
  payment.status = 'CHARGEBACK_REQUESTED';
  enterReturn(bank, account, payment, -payment.chargeback.value, 'CHARGEBACK', 'Chargeback');
  emitPayment(bank, account, 'PAYMENT_CHARGEBACK_REQUESTED', payment);
}

/** The next step of a chargeback: dispute, won, reversed or lost. */
export function moveChargeback(
  bank: Bank,
  account: Account,
  payment: Payment,
  step: 'dispute' | 'won' | 'reversed' | 'lost',
): void {
  const { chargeback } = payment;
  if (chargeback === null) throw invalidAction('A cobrança não tem chargeback.');
  switch (step) {
    case 'dispute':
      chargeback.status = 'IN_DISPUTE';
      chargeback.disputeStatus = 'REQUESTED';
      payment.status = 'CHARGEBACK_DISPUTE';
      emitPayment(bank, account, 'PAYMENT_CHARGEBACK_DISPUTE', payment);
      return;
    case 'won':
      chargeback.disputeStatus = 'ACCEPTED';
      payment.status = 'AWAITING_CHARGEBACK_REVERSAL';
      emitPayment(bank, account, 'PAYMENT_AWAITING_CHARGEBACK_REVERSAL', payment);
      return;
    case 'lost':
      chargeback.status = 'DISPUTE_LOST';
      chargeback.disputeStatus = 'REJECTED';
      // Asaas sends no event, and the charge does not change.
      return;
    case 'reversed':
      giveBack(bank, account, payment);
  }
}

function giveBack(bank: Bank, account: Account, payment: Payment): void {
  const { chargeback } = payment;
  if (chargeback === null || chargeback.status === 'REVERSED') {
    throw invalidAction('O chargeback já foi revertido.');
  }
  chargeback.status = 'REVERSED';
  if (chargeback.taken) {
    enterReturn(bank, account, payment, chargeback.value, 'CHARGEBACK_REVERSAL', 'Chargeback revertido');
    payment.status = 'RECEIVED';
    emitPayment(bank, account, 'PAYMENT_RECEIVED', payment);
    return;
  }
  payment.status = chargeback.before;
  emitPayment(bank, account, 'PAYMENT_CONFIRMED', payment);
  creditIfMissed(bank, account, payment);
}

/** Credits the payment if its credit day passed during the chargeback. */
function creditIfMissed(bank: Bank, account: Account, payment: Payment): void {
  if (payment.credited || payment.creditJob !== null) return;
  if (payment.creditDate !== null && payment.creditDate <= bank.today()) {
    bank.kit.agenda.plan('payments:credit', bank.now(), { account: account.id, payment: payment.id });
  }
}
