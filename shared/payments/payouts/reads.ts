// All that reading payouts takes: loaded when the first one is read, so that a function starts with its routes alone.
export { getPayout } from './get.ts';
export { listPayouts, payoutFilters } from './list.ts';
export { serializePayout } from './serialize.ts';
