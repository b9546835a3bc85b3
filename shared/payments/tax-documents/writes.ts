// All that asking for a tax document and canceling one takes: loaded when the first one is, with the rules of every field.
export { parseReason } from '../cancel-body.ts';
export { cancelTaxDocument } from './cancel.ts';
export { requestTaxDocument } from './request.ts';
export { parseTaxDocument } from './schema.ts';
