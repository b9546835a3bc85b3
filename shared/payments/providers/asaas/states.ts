// Asaas' states in our words. There may be ones that nobody documented: they never fail, and claim nothing.
import type { TaxDocumentReport } from '../provider.ts';
import type { FiscalInvoice, Payment, Transfer } from './resources.ts';

/** Its money came, whatever became of it afterwards. Cards are `CONFIRMED` long before they are `RECEIVED`. */
const PAID: ReadonlySet<string> = new Set([
  'RECEIVED',
  'CONFIRMED',
  'RECEIVED_IN_CASH',
  'DUNNING_RECEIVED',
  'REFUNDED',
  'REFUND_REQUESTED',
  'REFUND_IN_PROGRESS',
  'CHARGEBACK_REQUESTED',
  'CHARGEBACK_DISPUTE',
  'AWAITING_CHARGEBACK_REVERSAL',
]);

const UNPAID: ReadonlySet<string> = new Set([
  'PENDING',
  'OVERDUE',
  'AWAITING_RISK_ANALYSIS',
  'AUTHORIZED',
  'DUNNING_REQUESTED',
]);

/** While the payer's bank has the money, or has had it and it is on its way back. */
const DISPUTED: ReadonlySet<string> = new Set([
  'CHARGEBACK_REQUESTED',
  'CHARGEBACK_DISPUTE',
  'AWAITING_CHARGEBACK_REVERSAL',
]);

/** Whether somebody paid it. Of a state that is unknown the dates say so. */
export function wasPaid({ status, confirmedDate, paymentDate, clientPaymentDate }: Payment): boolean {
  if (PAID.has(status)) return true;
  return !UNPAID.has(status) && Boolean(confirmedDate ?? paymentDate ?? clientPaymentDate);
}

export const isDisputed = ({ status }: Payment): boolean => DISPUTED.has(status);

/** What was deleted can still be paid by somebody who has its code. */
export function chargeStatus(payment: Payment): 'open' | 'paid' | 'canceled' {
  if (wasPaid(payment)) return 'paid';
  return payment.deleted ? 'canceled' : 'open';
}

/** A payout that was under way cannot become canceled, which is before the money moves: then it failed. */
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
    cancelRefused: undefined,
    issued: undefined,
  };
  const issued = issuedOf(invoice);
  // Without its files it is not there yet for anybody: the city's answer comes before them.
  const asIssued = issued ? { ...base, status: 'issued' as const, issued } : base;
  switch (status) {
    case 'AUTHORIZED':
      return asIssued;
    case 'PROCESSING_CANCELLATION':
      return { ...asIssued, cancelPending: true };
    case 'CANCELLATION_DENIED':
      return { ...asIssued, cancelRefused: words ?? 'The city did not take the document back.' };
    case 'CANCELED':
    case 'CANCELLED':
      return { ...base, status: 'canceled', issued };
    case 'ERROR':
      return { ...base, status: 'failed', reason: words ?? 'The city refused the document.' };
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

function issuedOf({ number, validationCode, pdfUrl, xmlUrl }: FiscalInvoice) {
  if (number === null || number === undefined || number === '' || !pdfUrl || !xmlUrl) return undefined;
  return { number: String(number), accessKey: validationCode ?? '', pdfUrl, xmlUrl };
}
