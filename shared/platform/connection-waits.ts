// How long each request waits for database connections of its worker. The pool reports the waits, and the request log stores their sum.
import { AsyncLocalStorage } from 'node:async_hooks';

/** The waits of one request. */
export interface ConnectionWaits {
  /** Milliseconds, not rounded. Parallel waits add up. */
  totalMs: number;
}

/** Set while a request is handled. */
export const connectionWaits = new AsyncLocalStorage<ConnectionWaits>();

/** Adds a wait to the request that is being handled, if there is one. */
export function addConnectionWait(waitedMs: number): void {
  const waits = connectionWaits.getStore();
  if (waits) waits.totalMs += waitedMs;
}
