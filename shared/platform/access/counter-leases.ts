// Leases of a rate limit: a worker reserves several requests of a caller in the shared counter with one call, and makes the next call
// when they are used up. No number is used twice, so the limit is never exceeded. Reserved numbers that a worker does not use are lost
// for the window. They are less than a quarter of the requests that the worker saw, so at least four fifths of a limit are usable.
// Leases start with one request, grow with the caller's traffic, and shrink to one near the limit.
import QuickLRU from 'quick-lru';

/** Adds requests to the caller's shared counter and returns the new value, or undefined if the counter is unreachable. */
export type AddToCounter = (requests: number) => Promise<number | undefined>;

/** Maximum size of a lease, as a share of the caller's requests that the worker saw in the window, and of the remaining limit. */
const SHARE_OF_SEEN = 1 / 4;
const SHARE_OF_LEFT = 1 / 100;
const MAX_SIZE = 64;
/** Maximum number of callers in memory. A caller that is evicted loses its leases. */
const MAX_CALLERS = 10_000;

interface Lease {
  size: number;
  /** How many of its numbers are assigned to requests. Some of these may be waiting for `counted`. */
  assigned: number;
  /** The shared counter after this lease; undefined if it was unreachable. */
  counted: Promise<number | undefined>;
}

/** A worker's data about a caller in one window. */
interface Caller {
  resetsAtMs: number;
  leases: Lease[];
  /** Numbers of uncounted requests. The next requests use them. */
  returned: number[];
  /** Requests that the worker saw since the window started, or since the shared counter was last unreachable. */
  seen: number;
  /** The highest known value of the shared counter. */
  used: number;
}

/** A caller's current window. */
export interface Window {
  id: string;
  /** When it ends, in milliseconds since 1970. A lease is valid only for the window with this end. */
  resetsAtMs: number;
}

export interface Leases {
  /**
   * Returns the request's number in the window, or undefined if the shared counter is unreachable and no lease is left. `allowed` is
   * the last known limit and only determines the size of leases.
   */
  count(window: Window, allowed: number | undefined, addToCounter: AddToCounter): Promise<number | undefined>;
  /** Uncounts a request by reserving its number for the next one. Returns false if the worker has no unused numbers in the window. */
  uncount(window: Window, number: number): boolean;
  /** How many leased numbers are unused. */
  unused(window: Window): number;
}

export function createLeases(): Leases {
  const callers = new QuickLRU<string, Caller>({ maxSize: MAX_CALLERS });

  const find = ({ id, resetsAtMs }: Window): Caller | undefined => {
    const known = callers.get(id);
    return known?.resetsAtMs === resetsAtMs ? known : undefined;
  };
  const start = ({ id, resetsAtMs }: Window): Caller => {
    const caller = { resetsAtMs, leases: [], returned: [], seen: 0, used: 0 };
    callers.set(id, caller);
    return caller;
  };

  return {
    async count(window, allowed, addToCounter) {
      const caller = find(window) ?? start(window);
      caller.seen++;
      const returned = caller.returned.pop();
      if (returned !== undefined) return returned;
      const lease =
        caller.leases.find(({ assigned, size }) => assigned < size) ??
        requestLease(caller, allowed, addToCounter);
      const position = ++lease.assigned;
      if (position === lease.size) drop(caller, lease);
      const counted = await lease.counted;
      return counted === undefined ? undefined : counted - lease.size + position;
    },
    uncount(window, number) {
      const caller = find(window);
      if (!caller || unusedOf(caller) === 0) return false;
      caller.returned.push(number);
      return true;
    },
    unused(window) {
      const caller = find(window);
      return caller ? unusedOf(caller) : 0;
    },
  };
}

function requestLease(caller: Caller, allowed: number | undefined, addToCounter: AddToCounter): Lease {
  const size = sizeOf(caller, allowed);
  const lease: Lease = { size, assigned: 0, counted: addToCounter(size) };
  caller.leases.push(lease);
  const onLost = () => {
    // It is unknown whether the requests were counted, and the next lease may be lost too. So leases start with one again.
    caller.seen = 0;
    drop(caller, lease);
  };
  lease.counted.then((counted) => {
    if (counted === undefined) return onLost();
    caller.used = Math.max(caller.used, counted);
  }, onLost);
  return lease;
}

/** How many numbers are not assigned to a request, returned ones included. */
function unusedOf({ leases, returned }: Caller): number {
  return leases.reduce((sum, { size, assigned }) => sum + size - assigned, returned.length);
}

function drop(caller: Caller, lease: Lease): void {
  caller.leases = caller.leases.filter((one) => one !== lease);
}

function sizeOf({ seen, used }: Caller, allowed: number | undefined): number {
  if (allowed === undefined) return 1;
  const size = Math.floor(Math.min(seen * SHARE_OF_SEEN, (allowed - used) * SHARE_OF_LEFT, MAX_SIZE));
  return Math.max(1, size);
}
