// All that reading tax documents takes: loaded when the first one is read, so that a function starts with its routes alone.
export { getTaxDocument } from './get.ts';
export { serializeTaxDocument } from './serialize.ts';
