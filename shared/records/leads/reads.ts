// All that reading a lead takes: loaded when the first one is read, so that a function starts with its routes alone.
export { getLead } from './get.ts';
export { leadList } from './list.ts';
