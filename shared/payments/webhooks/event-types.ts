// Event types of payments.
import { invoiceEvents, invoiceMoneyEvents } from '../invoices/states.ts';
import { payoutEvents } from '../payouts/states.ts';
import { refundEvents } from '../refunds/states.ts';
import { taxDocumentEvents } from '../tax-documents/states.ts';

export const paymentsEventTypes = [
  ...invoiceEvents,
  ...invoiceMoneyEvents,
  ...refundEvents,
  ...taxDocumentEvents,
  ...payoutEvents,
] as const;

/** By event type: members that change with the event although no column of the same name changes. */
export const derivedMembersByEvent: Readonly<Record<string, readonly string[]>> = {
  'invoice.paid': ['fee', 'net'],
  'invoice.disputed': ['dispute'],
  'invoice.dispute_closed': ['dispute'],
  'tax_document.issued': ['document_number', 'issued_at', 'pdf_url', 'xml_url'],
};
