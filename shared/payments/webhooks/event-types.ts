// What happens to money.
import { invoiceEvents, invoiceMoneyEvents } from '../invoices/states.ts';
import { payoutEvents } from '../payouts/states.ts';
import { taxDocumentEvents } from '../tax-documents/states.ts';

export const paymentsEventTypes = [
  ...invoiceEvents,
  ...invoiceMoneyEvents,
  ...taxDocumentEvents,
  ...payoutEvents,
] as const;

/** Members that have a value from this event on, and are no columns, or were set before. */
export const valuesKnownFrom: Readonly<Record<string, readonly string[]>> = {
  'invoice.paid': ['fee', 'net'],
  'tax_document.issued': ['document_number', 'issued_at', 'pdf_url', 'xml_url'],
};
