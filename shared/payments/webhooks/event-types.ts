// Event types of payments.
import { invoiceEvents, invoiceMoneyEvents } from '../invoices/states.ts';
import { payoutEvents } from '../payouts/states.ts';
import { taxDocumentEvents } from '../tax-documents/states.ts';

export const paymentsEventTypes = [
  ...invoiceEvents,
  ...invoiceMoneyEvents,
  ...taxDocumentEvents,
  ...payoutEvents,
] as const;

/** By event type: members that change with the event although no column of the same name changes. */
export const derivedMembersByEvent: Readonly<Record<string, readonly string[]>> = {
  'invoice.paid': ['fee', 'net'],
  'tax_document.issued': ['document_number', 'issued_at', 'pdf_url', 'xml_url'],
};
