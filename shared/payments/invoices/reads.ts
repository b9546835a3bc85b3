// All that reading invoices takes: loaded when the first one is read, so that a function starts with its routes alone.
export { getInvoice } from './get.ts';
export { invoiceFilters, listInvoices } from './list.ts';
export { serializeInvoice } from './serialize.ts';
