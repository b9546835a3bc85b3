// All that reading a user takes: loaded when the first one is read, so that a function starts with its routes alone.
export { getUser } from './get.ts';
export { getCurrentUser } from './get-current.ts';
export { userList } from './list.ts';
export { parseSpan } from './span.ts';
export { getStatistics } from './statistics.ts';
