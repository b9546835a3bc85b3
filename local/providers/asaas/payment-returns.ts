/** Outgoing money: refunds, and chargebacks of card payments. */
import { invalidAction } from './errors.ts';
import { refundEndToEnd, refunded } from './payment-money.ts';
import { emitPayment } from './payment-orders.ts';
import { type AsaasServices, numberedId } from './services.ts';
import type { Account, Payment, Refund } from './state.ts';

/**
 * Starts a refund. The money leaves the balance immediately.
 *
 * @param order.value in cents; default: the remaining amount
 */
export function refund(
  services: AsaasServices,
  account: Account,
  payment: Payment,
  order: { value: number | undefined; description: string | null },
): void {
  if (payment.status !== 'RECEIVED' && payment.status !== 'CONFIRMED') {
    throw invalidAction('Somente cobranças confirmadas ou recebidas podem ser estornadas.');
  }
  if (payment.blocked > 0) throw invalidAction('A cobrança está bloqueada por uma infração Pix.');
  const left = payment.value - refunded(payment);
  const value = order.value ?? left;
  if (value <= 0 || value > left) {
    throw invalidAction('O valor a ser estornado é maior que o valor disponível da cobrança.');
  }
  if (payment.credited && value > services.balanceOf(account)) {
    throw invalidAction('O saldo da conta é insuficiente para realizar o estorno.');
  }
  const begun = addRefund(services, payment, { value, description: order.description, status: 'PENDING' });
  enterReturn(services, account, payment, -value, 'PAYMENT_REVERSAL', 'Estorno da cobrança');
  if (refunded(payment) === payment.value) payment.status = 'REFUND_IN_PROGRESS';
  const isValidated = account.options.validatesRefunds && account.withdrawalValidation !== null;
  const data = { account: account.id, payment: payment.id, refund: begun.id };
  if (isValidated && payment.billingType === 'PIX') {
    begun.status = 'AWAITING_CRITICAL_ACTION_AUTHORIZATION';
    services.kit.scheduler.schedule('refunds:validate', services.now(), data);
  } else if (account.options.refundMs === 0) {
    concludeRefund(services, account, payment, begun.id, 'DONE');
    return;
  } else services.kit.scheduler.schedule('payments:refund', services.now() + account.options.refundMs, data);
  emitPayment(services, account, 'PAYMENT_REFUND_IN_PROGRESS', payment);
}

function addRefund(
  services: AsaasServices,
  payment: Payment,
  order: Pick<Refund, 'value' | 'description' | 'status'>,
): Refund {
  const begun: Refund = {
    id: numberedId('rfd', services.kit.nextNumber()),
    dateCreated: services.nowText(),
    ...order,
    endToEndIdentifier: null,
    effectiveDate: null,
    validationAttempts: 0,
  };
  payment.refunds.push(begun);
  return begun;
}

const isBegun = ({ status }: Refund): boolean => status !== 'DONE' && status !== 'CANCELLED';

/** Creates the page on which the payer of a boleto enters a bank account, once. No money moves. */
export function requestBoletoRefund(services: AsaasServices, payment: Payment): void {
  if (payment.billingType !== 'BOLETO' || payment.status !== 'RECEIVED') {
    throw invalidAction('Somente boletos recebidos podem ser estornados.');
  }
  if (payment.refunds.some(isBegun)) return;
  if (refunded(payment) > 0) throw invalidAction('O boleto já foi estornado.');
  addRefund(services, payment, {
    value: payment.value,
    description: null,
    status: 'AWAITING_CUSTOMER_EXTERNAL_AUTHORIZATION',
  });
}

/** The payer enters a bank account: the money leaves the balance. */
export function fillBoletoRefund(services: AsaasServices, account: Account, payment: Payment): void {
  const begun = payment.refunds.find(isBegun);
  if (begun?.status !== 'AWAITING_CUSTOMER_EXTERNAL_AUTHORIZATION') {
    throw invalidAction('A cobrança não tem estorno aguardando o pagador.');
  }
  begun.status = 'PENDING';
  enterReturn(services, account, payment, -begun.value, 'PAYMENT_REVERSAL', 'Estorno da cobrança');
  concludeRefund(services, account, payment, begun.id, 'DONE');
}

/**
 * The end of a Pix infraction that the payer won: the payment is refunded.
 *
 * @param stated whether the refund is on the statement, or the blocked balance became the loss
 * @param listed whether the payment lists a refund
 */
export function loseInfraction(
  services: AsaasServices,
  account: Account,
  payment: Payment,
  { stated, listed }: { stated: boolean; listed: boolean },
): void {
  if (payment.status !== 'RECEIVED') throw invalidAction('A cobrança não foi recebida.');
  const value = stated ? payment.value - refunded(payment) : payment.blocked;
  if (value === 0) throw invalidAction('A cobrança não está bloqueada.');
  payment.blocked = 0;
  if (listed) {
    const lost = addRefund(services, payment, { value, description: 'Infração Pix', status: 'DONE' });
    lost.effectiveDate = services.nowText();
  }
  if (stated) enterReturn(services, account, payment, -value, 'PAYMENT_REVERSAL', 'Estorno da cobrança');
  payment.status = 'REFUNDED';
  emitPayment(services, account, 'PAYMENT_REFUNDED', payment);
}

/** Concludes a refund. A denied refund returns the money to the account. */
export function concludeRefund(
  services: AsaasServices,
  account: Account,
  payment: Payment,
  refundId: string,
  outcome: 'DONE' | 'CANCELLED',
): void {
  const begun = payment.refunds.find(({ id }) => id === refundId);
  if (begun === undefined || !isBegun(begun)) return;
  begun.status = outcome;
  if (outcome === 'CANCELLED') {
    payment.status = payment.credited ? 'RECEIVED' : 'CONFIRMED';
    enterReturn(services, account, payment, begun.value, 'PAYMENT_REFUND_CANCELLED', 'Estorno cancelado');
    emitPayment(services, account, 'PAYMENT_REFUND_DENIED', payment);
    creditIfMissed(services, account, payment);
    return;
  }
  begun.effectiveDate = services.nowText();
  if (payment.billingType === 'PIX') begun.endToEndIdentifier = refundEndToEnd(services);
  if (refunded(payment) < payment.value) {
    emitPayment(services, account, 'PAYMENT_PARTIALLY_REFUNDED', payment);
    return;
  }
  payment.status = 'REFUNDED';
  emitPayment(services, account, 'PAYMENT_REFUNDED', payment);
}

/** Adds an entry only if the payment itself is on the statement. */
function enterReturn(
  services: AsaasServices,
  account: Account,
  payment: Payment,
  value: number,
  type: string,
  subject: string,
): void {
  if (!payment.credited) return;
  const description = `${subject} - fatura nr. ${15_000_000 + payment.number}`;
  services.enter(account, { type, value, description, paymentId: payment.id });
}

/** Starts a chargeback by the cardholder. */
export function requestChargeback(
  services: AsaasServices,
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
    disputeStartDate: services.today(),
    value: value ?? payment.value,
    before: payment.status,
    taken: payment.credited,
  };
  payment.status = 'CHARGEBACK_REQUESTED';
  enterReturn(services, account, payment, -payment.chargeback.value, 'CHARGEBACK', 'Chargeback');
  emitPayment(services, account, 'PAYMENT_CHARGEBACK_REQUESTED', payment);
}

/** The next step of a chargeback: dispute, won, reversed or lost. */
export function moveChargeback(
  services: AsaasServices,
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
      emitPayment(services, account, 'PAYMENT_CHARGEBACK_DISPUTE', payment);
      return;
    case 'won':
      chargeback.disputeStatus = 'ACCEPTED';
      payment.status = 'AWAITING_CHARGEBACK_REVERSAL';
      emitPayment(services, account, 'PAYMENT_AWAITING_CHARGEBACK_REVERSAL', payment);
      return;
    case 'lost':
      chargeback.status = 'DISPUTE_LOST';
      chargeback.disputeStatus = 'REJECTED';
      // Asaas sends no event, and the charge does not change.
      return;
    case 'reversed':
      giveBack(services, account, payment);
  }
}

function giveBack(services: AsaasServices, account: Account, payment: Payment): void {
  const { chargeback } = payment;
  if (chargeback === null || chargeback.status === 'REVERSED') {
    throw invalidAction('O chargeback já foi revertido.');
  }
  chargeback.status = 'REVERSED';
  if (chargeback.taken) {
    enterReturn(services, account, payment, chargeback.value, 'CHARGEBACK_REVERSAL', 'Chargeback revertido');
    payment.status = 'RECEIVED';
    emitPayment(services, account, 'PAYMENT_RECEIVED', payment);
    return;
  }
  payment.status = chargeback.before;
  emitPayment(services, account, 'PAYMENT_CONFIRMED', payment);
  creditIfMissed(services, account, payment);
}

/** Credits the payment if its credit day passed during the chargeback. */
function creditIfMissed(services: AsaasServices, account: Account, payment: Payment): void {
  if (payment.credited || payment.creditJob !== null) return;
  if (payment.creditDate !== null && payment.creditDate <= services.today()) {
    services.kit.scheduler.schedule('payments:credit', services.now(), {
      account: account.id,
      payment: payment.id,
    });
  }
}
