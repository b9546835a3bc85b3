// All that reading a deal takes: loaded when the first one is read, so that a function starts with its routes alone.
export { getDeal } from './get.ts';
export { dealList } from './list.ts';
