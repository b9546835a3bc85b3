/** A payment in responses and events. Members and nulls match captured responses. */
import { toReais, toReaisOrNull } from './money.ts';
import type { AsaasServices } from './services.ts';
import type { Account, Chargeback, Payment, Refund } from './state.ts';

/** Base of public URLs, with an additional segment since 2026-09. */
export const publicRoot = (services: AsaasServices, account: Account): string =>
  account.options.publicPaths === 'new' ? `${services.kit.url}/000` : services.kit.url;

export const listedRefunds = (account: Account, payment: Payment): Refund[] =>
  account.options.boletoRefundsListed || payment.billingType !== 'BOLETO' ? payment.refunds : [];

export function renderRefund(services: AsaasServices, refund: Refund) {
  const { dateCreated, status, value, description, endToEndIdentifier, effectiveDate } = refund;
  return {
    dateCreated,
    status,
    value: toReais(value),
    endToEndIdentifier,
    description,
    effectiveDate,
    transactionReceiptUrl: status === 'DONE' ? `${services.kit.url}/comprovantes/${refund.id}` : null,
    refundedSplits: [],
  };
}

export function renderChargeback(payment: Payment, chargeback: Chargeback) {
  const { id, status, reason, disputeStartDate, value, disputeStatus } = chargeback;
  return {
    id,
    payment: payment.id,
    installment: null,
    customerAccount: payment.customer,
    status,
    reason,
    disputeStartDate,
    value: toReais(value),
    paymentDate: payment.paymentDate ?? payment.confirmedDate,
    creditCard: { number: '8829', brand: 'MASTERCARD' },
    disputeStatus,
    deadlineToSendDisputeDocuments: null,
  };
}

export function renderPayment(services: AsaasServices, account: Account, payment: Payment) {
  const root = publicRoot(services, account);
  const isCard = payment.billingType === 'CREDIT_CARD';
  const isPaid = payment.confirmedDate !== null;
  const refunds = listedRefunds(account, payment);
  const boletoUrl = payment.nossoNumero === null ? null : `${root}/b/pdf/${payment.shortId}`;
  return {
    object: 'payment',
    id: payment.id,
    dateCreated: payment.dateCreated,
    customer: payment.customer,
    checkoutSession: null,
    paymentLink: null,
    value: toReais(payment.value),
    netValue: toReais(payment.value - payment.fee),
    originalValue: toReaisOrNull(payment.originalValue),
    interestValue: toReaisOrNull(payment.interestValue),
    description: payment.description,
    billingType: payment.billingType,
    ...(isCard || isPaid ? { confirmedDate: payment.confirmedDate } : {}),
    ...(isCard ? { creditCard: isPaid ? CARD : null } : {}),
    ...(payment.billingType === 'BOLETO' ? { canBePaidAfterDueDate: true } : {}),
    pixTransaction: payment.pixTransaction,
    status: payment.status,
    dueDate: payment.dueDate,
    originalDueDate: payment.originalDueDate,
    paymentDate: payment.paymentDate,
    clientPaymentDate: payment.clientPaymentDate,
    installmentNumber: null,
    invoiceUrl: `${root}/i/${payment.shortId}`,
    invoiceNumber: String(15_000_000 + payment.number),
    externalReference: payment.externalReference,
    deleted: payment.deleted,
    anticipated: false,
    anticipable: false,
    creditDate: payment.creditDate,
    estimatedCreditDate: payment.estimatedCreditDate,
    transactionReceiptUrl: isPaid ? `${services.kit.url}/comprovantes/${payment.shortId}` : null,
    nossoNumero: payment.nossoNumero,
    bankSlipUrl: boletoUrl,
    lastInvoiceViewedDate: payment.lastInvoiceViewedDate,
    lastBankSlipViewedDate: payment.lastBankSlipViewedDate,
    discount: {
      value: renderRule(payment.discount),
      limitDate: null,
      dueDateLimitDays: payment.discount.dueDateLimitDays,
      type: payment.discount.type,
    },
    fine: { value: renderRule(payment.fine), type: payment.fine.type },
    interest: { value: payment.interest.value, type: 'PERCENTAGE' },
    postalService: false,
    ...(payment.daysAfterDueDateToRegistrationCancellation === null
      ? {}
      : { daysAfterDueDateToRegistrationCancellation: payment.daysAfterDueDateToRegistrationCancellation }),
    escrow: null,
    refunds: refunds.length === 0 ? null : refunds.map((refund) => renderRefund(services, refund)),
    ...(payment.chargeback === null ? {} : { chargeback: renderChargeback(payment, payment.chargeback) }),
  };
}

const CARD = {
  creditCardNumber: '8829',
  creditCardBrand: 'MASTERCARD',
  creditCardToken: '5b6f0d2c-3f0c-4c3a-9a57-1f5d9f0f8829',
};

const renderRule = ({ value, type }: { value: number; type: 'FIXED' | 'PERCENTAGE' }): number =>
  type === 'FIXED' ? toReais(value) : value;
