// All that making and canceling a payout takes: loaded when the first one is, for the data of all countries' phone numbers
// comes with it.
export { parseReason } from '../cancel-body.ts';
export { cancelPayout } from './cancel.ts';
export { createPayout } from './create.ts';
export { parsePayout } from './schema.ts';
