// All that writing a deal takes: loaded when the first one is written, so that a function starts without the rules of
// every field.
export { dealBatch } from './batch.ts';
export { closeDeal } from './close.ts';
export { createDeal } from './create.ts';
export { deleteDeal } from './delete.ts';
export { moveDeal } from './move.ts';
export { closing, dealChange, move, newDeal } from './schema.ts';
export { updateDeal } from './update.ts';
export { upsertDeal } from './upsert.ts';
