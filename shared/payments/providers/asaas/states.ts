// Maps Asaas' states to ours. Undocumented states never cause errors or terminal states.
import type { TaxDocumentReport } from '../tax-document-port.ts';
import type { FiscalInvoice, Payment, Transfer } from './resources.ts';
import { issuedTaxesOf } from './taxes.ts';

/** States in which the payer's bank holds the money or is returning it. */
const DISPUTED: ReadonlySet<string> = new Set([
  'CHARGEBACK_REQUESTED',
  'CHARGEBACK_DISPUTE',
  'AWAITING_CHARGEBACK_REVERSAL',
]);

/** States of payments that were paid, including later refunds and disputes. Cards are `CONFIRMED` long before they are `RECEIVED`. */
const PAID: ReadonlySet<string> = new Set([
  'RECEIVED',
  'CONFIRMED',
  'RECEIVED_IN_CASH',
  'DUNNING_RECEIVED',
  'REFUNDED',
  'REFUND_REQUESTED',
  'REFUND_IN_PROGRESS',
  ...DISPUTED,
]);

const UNPAID: ReadonlySet<string> = new Set([
  'PENDING',
  'OVERDUE',
  'AWAITING_RISK_ANALYSIS',
  'AUTHORIZED',
  'DUNNING_REQUESTED',
]);

/** Whether the payment was paid. For unknown states, the dates decide. */
export function wasPaid({ status, confirmedDate, paymentDate, clientPaymentDate }: Payment): boolean {
  if (PAID.has(status)) return true;
  return !UNPAID.has(status) && Boolean(confirmedDate ?? paymentDate ?? clientPaymentDate);
}

/** How the payer paid. A boleto with a PIX code can be paid either way, which only its PIX transaction shows. */
export function paidBy(payment: Payment): 'pix' | 'boleto' | undefined {
  if (!wasPaid(payment)) return undefined;
  if (payment.billingType === 'PIX' || payment.pixTransaction) return 'pix';
  return payment.billingType === 'BOLETO' ? 'boleto' : undefined;
}

export const isDisputed = ({ status }: Payment): boolean => DISPUTED.has(status);

/** A deleted payment can still be paid with a saved code. */
export function chargeStatus(payment: Payment): 'open' | 'paid' | 'canceled' {
  if (wasPaid(payment)) return 'paid';
  return payment.deleted ? 'canceled' : 'open';
}

/** `canceled` applies only before the money moves. A payout that was already in transit becomes `failed`. */
export function payoutStatus({ status, authorized, confirmedDate }: Transfer) {
  switch (status) {
    case 'DONE':
      return 'paid';
    case 'FAILED':
      return 'failed';
    case 'CANCELLED':
    case 'CANCELED':
      return authorized === false && !confirmedDate ? 'canceled' : 'failed';
    case 'PENDING':
      return authorized === false ? 'created' : 'processing';
    default:
      return 'processing';
  }
}

export function taxDocumentReport(invoice: FiscalInvoice): TaxDocumentReport {
  const { id, status } = invoice;
  const words = invoice.statusDescription?.trim() || undefined;
  const base = {
    providerReference: id,
    status: 'pending' as const,
    reason: undefined,
    cancelPending: false,
    cancelRejectionMessage: undefined,
    issued: undefined,
  };
  const issued = issuedOf(invoice);
  // The municipality's authorization arrives before the files. Without files the document counts as pending.
  const asIssued = issued ? { ...base, status: 'issued' as const, issued } : base;
  switch (status) {
    case 'AUTHORIZED':
      return asIssued;
    case 'PROCESSING_CANCELLATION':
      return { ...asIssued, cancelPending: true };
    case 'CANCELLATION_DENIED':
      return { ...asIssued, cancelRejectionMessage: words ?? 'The municipality rejected the cancellation.' };
    case 'CANCELED':
    case 'CANCELLED':
      return { ...base, status: 'canceled', issued };
    case 'ERROR':
      return { ...base, status: 'failed', reason: words ?? 'The municipality rejected the document.' };
    case 'SCHEDULED':
    case 'SYNCHRONIZED':
    case 'WAITING_OVERDUE_PAYMENT':
    case 'PENDING':
    case 'NONE':
      return base;
    default:
      return asIssued;
  }
}

function issuedOf(invoice: FiscalInvoice) {
  const { number, validationCode, pdfUrl, xmlUrl } = invoice;
  if (number === null || number === undefined || number === '' || !pdfUrl || !xmlUrl) return undefined;
  const accessKey = validationCode ?? '';
  return { number: String(number), accessKey, pdfUrl, xmlUrl, taxes: issuedTaxesOf(invoice) };
}
