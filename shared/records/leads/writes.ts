// All that writing a lead takes: loaded when the first one is written, so that a function starts without the rules of
// every field.
export { leadBatch } from './batch.ts';
export { convertLead } from './convert.ts';
export { createLead } from './create.ts';
export { deleteLead } from './delete.ts';
export { mergeLead } from './merge.ts';
export { conversion, leadChange, merging, newLead } from './schema.ts';
export { updateLead } from './update.ts';
export { upsertLead } from './upsert.ts';
