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
