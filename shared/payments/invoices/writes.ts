// All that making and canceling an invoice takes: loaded when the first one is, with the rules of every field.
export { parseReason } from '../cancel-body.ts';
export { cancelInvoice } from './cancel.ts';
export { createInvoice } from './create.ts';
export { parseInvoice } from './schema.ts';
