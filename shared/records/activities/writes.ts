// All that writing an activity takes: loaded when the first one is written, so that a function starts without the rules
// of every field.
export { activityBatch } from './batch.ts';
export { createActivity } from './create.ts';
export { createDealActivity } from './create-of-deal.ts';
export { newActivity } from './schema.ts';
