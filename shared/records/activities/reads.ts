// All that reading an activity takes: loaded when the first one is read, so that a function starts with its routes alone.
export { activityList } from './list.ts';
export { listDealActivities } from './list-of-deal.ts';
export { listLeadActivities } from './list-of-lead.ts';
