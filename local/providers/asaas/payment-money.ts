/** Money that comes for payments: paid by Pix, boleto or card, outside, twice, by an agency. */
import { addDays } from '../days.ts';
import { DIGITS, randomText } from '../random.ts';
import { type Bank, endToEndId, paymentIds } from './bank.ts';
import { businessDayFrom, nextBusinessDay, saoPaulo } from './calendar.ts';
import { invalidAction } from './errors.ts';
import { emitPayment, feeOf } from './payment-orders.ts';
import type { Account, Payment } from './state.ts';

export type Way = 'PIX' | 'BOLETO' | 'CREDIT_CARD';

/** Days until a card's money is there; the next business day takes what falls on another. */
const CARD_DAYS = 32;
/** Boletos of one day are credited in the morning of their credit day. */
const CREDIT_HOUR_MS = 6 * 60 * 60_000;

export const isAwaited = ({ status }: Payment): boolean =>
  status === 'PENDING' ||
  status === 'OVERDUE' ||
  status === 'DUNNING_REQUESTED' ||
  status === 'AWAITING_RISK_ANALYSIS';

/**
 * The payer pays.
 *
 * @param value in cents; the payment's own when undefined
 */
export function pay(
  bank: Bank,
  account: Account,
  payment: Payment,
  paid: { way?: Way; value?: number },
): void {
  if (!isAwaited(payment)) throw invalidAction('A cobrança não está aguardando pagamento.');
  const way = paid.way ?? (payment.billingType === 'UNDEFINED' ? 'PIX' : payment.billingType);
  const value = paid.value ?? payment.value;
  // Paid after its removal: the charge is back, with its money.
  payment.deleted = false;
  if (value !== payment.value) {
    payment.originalValue = payment.value;
    payment.interestValue = value > payment.value ? value - payment.value : null;
    payment.value = value;
  }
  const keepsBoleto = payment.billingType === 'BOLETO' && way === 'PIX' && !account.options.bolepixBecomesPix;
  if (!keepsBoleto) payment.billingType = way;
  payment.fee = feeOf(account, way, value);
  const today = bank.today();
  payment.clientPaymentDate = today;
  payment.confirmedDate = today;
  if (way === 'PIX') {
    payment.pixTransaction = crypto.randomUUID();
    payment.creditDate = today;
    payment.estimatedCreditDate = today;
    receive(bank, account, payment);
    return;
  }
  const creditDate = way === 'BOLETO' ? nextBusinessDay(today) : businessDayFrom(addDays(today, CARD_DAYS));
  payment.status = 'CONFIRMED';
  payment.creditDate = creditDate;
  payment.estimatedCreditDate = creditDate;
  payment.creditJob = bank.kit.agenda.plan('payments:credit', saoPaulo.startOf(creditDate) + CREDIT_HOUR_MS, {
    account: account.id,
    payment: payment.id,
  });
  emitPayment(bank, account, 'PAYMENT_CONFIRMED', payment);
}

/** The money that was to come later comes at once. */
export function receiveToday(bank: Bank, account: Account, payment: Payment): void {
  if (payment.creditJob !== null) bank.kit.agenda.cancel(payment.creditJob);
  payment.creditDate = bank.today();
  payment.estimatedCreditDate = bank.today();
  receive(bank, account, payment);
}

/** Puts the money on the statement. */
export function receive(
  bank: Bank,
  account: Account,
  payment: Payment,
  status: Payment['status'] = 'RECEIVED',
): void {
  payment.creditJob = null;
  payment.status = status;
  payment.paymentDate = bank.today();
  credit(bank, account, payment);
  emitPayment(
    bank,
    account,
    status === 'DUNNING_RECEIVED' ? 'PAYMENT_DUNNING_RECEIVED' : 'PAYMENT_RECEIVED',
    payment,
  );
}

function credit(bank: Bank, account: Account, payment: Payment): void {
  const { id: paymentId, value, fee, number } = payment;
  payment.credited = true;
  const what = `fatura nr. ${15_000_000 + number}`;
  bank.enter(account, {
    type: 'PAYMENT_RECEIVED',
    value,
    description: `Cobrança recebida - ${what}`,
    paymentId,
  });
  bank.enter(account, {
    type: 'PAYMENT_FEE',
    value: -fee,
    description: `Taxa da cobrança - ${what}`,
    paymentId,
  });
  // Of a card, a part may have gone back before its money came.
  bank.enter(account, {
    type: 'PAYMENT_REVERSAL',
    value: -refunded(payment),
    description: `Estorno da cobrança - ${what}`,
    paymentId,
  });
}

/** What went back to the payer, or is on its way. */
export const refunded = (payment: Payment): number =>
  payment.refunds.reduce((sum, { status, value }) => (status === 'CANCELLED' ? sum : sum + value), 0);

/** The day of the credit has come. A refund or a chargeback in between keeps the money away. */
export function creditWhenDue(bank: Bank, account: Account, payment: Payment): void {
  payment.creditJob = null;
  if (payment.status === 'CONFIRMED') receive(bank, account, payment);
}

/**
 * The same charge is paid once more.
 *
 * @param as a new payment, received, or a credit on the statement alone
 */
export function payAgain(
  bank: Bank,
  account: Account,
  payment: Payment,
  as: 'new_payment' | 'credit',
): Payment {
  if (as === 'credit') {
    bank.enter(account, {
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
    number: bank.kit.nextNumber(),
    dateCreated: bank.today(),
    status: 'PENDING',
    nossoNumero: payment.nossoNumero === null ? null : randomText(DIGITS.slice(1), 8),
    credited: false,
    refunds: [],
    chargeback: null,
    creditJob: null,
    overdueJob: null,
  };
  account.payments.push(twin);
  emitPayment(bank, account, 'PAYMENT_CREATED', twin);
  pay(bank, account, twin, {});
  return twin;
}

/** Somebody says that the payer paid outside: the balance does not move. */
export function receiveInCash(
  bank: Bank,
  account: Account,
  payment: Payment,
  { value, paymentDate }: { value: number | undefined; paymentDate: string | undefined },
): void {
  if (payment.deleted || !isAwaited(payment)) {
    throw invalidAction(
      'Somente cobranças aguardando pagamento ou vencidas podem ser recebidas em dinheiro.',
    );
  }
  const day = paymentDate ?? bank.today();
  if (value !== undefined && value !== payment.value) {
    payment.originalValue = payment.value;
    payment.value = value;
  }
  payment.fee = 0;
  payment.status = 'RECEIVED_IN_CASH';
  payment.clientPaymentDate = day;
  payment.paymentDate = day;
  payment.confirmedDate = day;
  emitPayment(bank, account, 'PAYMENT_RECEIVED', payment);
}

export function undoReceivedInCash(bank: Bank, account: Account, payment: Payment): void {
  if (payment.status !== 'RECEIVED_IN_CASH') throw invalidAction('A cobrança não foi recebida em dinheiro.');
  payment.status = payment.dueDate < bank.today() ? 'OVERDUE' : 'PENDING';
  payment.value = payment.originalValue ?? payment.value;
  payment.originalValue = null;
  payment.fee = feeOf(account, payment.billingType, payment.value);
  payment.clientPaymentDate = null;
  payment.paymentDate = null;
  payment.confirmedDate = null;
  emitPayment(bank, account, 'PAYMENT_RECEIVED_IN_CASH_UNDONE', payment);
}

/** What a collection agency does: it is asked, and it brings the money. */
export function requestDunning(bank: Bank, account: Account, payment: Payment): void {
  if (payment.status !== 'OVERDUE') throw invalidAction('Somente cobranças vencidas podem ser negativadas.');
  payment.status = 'DUNNING_REQUESTED';
  emitPayment(bank, account, 'PAYMENT_DUNNING_REQUESTED', payment);
}

export function receiveDunning(bank: Bank, account: Account, payment: Payment): void {
  if (payment.status !== 'DUNNING_REQUESTED') throw invalidAction('A cobrança não está negativada.');
  payment.clientPaymentDate = bank.today();
  payment.confirmedDate = bank.today();
  payment.creditDate = bank.today();
  receive(bank, account, payment, 'DUNNING_RECEIVED');
  bank.enter(account, {
    type: 'PAYMENT_DUNNING_RECEIVED_FEE',
    value: -account.options.fees.dunning,
    description: 'Taxa de recebimento de negativação',
    paymentId: payment.id,
  });
}

/** The end-to-end id of a refund by Pix. */
export const refundEndToEnd = (bank: Bank): string => endToEndId(bank.now()).replace('E', 'D');
