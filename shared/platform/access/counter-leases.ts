// Leases of a rate limit: a worker takes a caller's next few requests from the common count at once, and asks again when
// they are used up. No number is given twice, so never more requests get through than the limit says. What a worker took and
// does not use is lost to the window: less than a quarter of what it saw, so that at least four fifths of a limit get
// through whatever the workers do. It takes one at first, more as it sees more, and one by one near the limit.
import QuickLRU from 'quick-lru';

/**
 * Adds so many requests to the caller's common count, and gives what it is then; undefined when it cannot be asked. The count is
 * to be kept until the window is over; `isKept` when the worker had that done already.
 */
export type AddToCounter = (requests: number, isKept: boolean) => Promise<number | undefined>;

/** A lease is at most this share of what the worker saw of the caller in the window, and of what the limit leaves. */
const SHARE_OF_SEEN = 1 / 4;
const SHARE_OF_LEFT = 1 / 100;
const MAX_SIZE = 64;
/** Callers whom a worker remembers. One that is forgotten loses its lease. */
const MAX_CALLERS = 10_000;

interface Lease {
  size: number;
  /** How many of its numbers are given to requests, some of which may wait for it. */
  given: number;
  answer: Promise<number | undefined>;
}

/** What a worker knows of a caller in one window. */
interface Caller {
  resetsAtMs: number;
  leases: Lease[];
  /** Numbers of requests that were not to count after all: the next ones'. */
  returned: number[];
  /** Requests that the worker saw since the window began, or since the common count was last silent: then what was taken is unknown. */
  seen: number;
  /** The highest number that the worker knows to be taken. */
  used: number;
  isKept: boolean;
}

/** A caller's window. */
export interface Window {
  id: string;
  /** When it ends, in milliseconds since 1970: a lease is good in this window alone, wherever a clock jumps to. */
  resetsAtMs: number;
}

export interface Leases {
  /**
   * Gives a request its number in the window. `allowed` is the limit as far as it is known: it says how many are leased, and
   * decides nothing else. Undefined when the common count cannot be asked and no lease is left.
   */
  count(window: Window, allowed: number | undefined, take: AddToCounter): Promise<number | undefined>;
  /** Has a request not count after all, where a lease goes on: the next one gets its number. False where none does. */
  giveBack(window: Window, number: number): boolean;
  /** Numbers that are leased and not used. */
  unused(window: Window): number;
}

export function createLeases(): Leases {
  const callers = new QuickLRU<string, Caller>({ maxSize: MAX_CALLERS });

  const find = ({ id, resetsAtMs }: Window): Caller | undefined => {
    const known = callers.get(id);
    return known?.resetsAtMs === resetsAtMs ? known : undefined;
  };
  const begin = ({ id, resetsAtMs }: Window): Caller => {
    const caller = { resetsAtMs, leases: [], returned: [], seen: 0, used: 0, isKept: false };
    callers.set(id, caller);
    return caller;
  };

  return {
    async count(window, allowed, take) {
      const caller = find(window) ?? begin(window);
      caller.seen++;
      const returned = caller.returned.pop();
      if (returned !== undefined) return returned;
      const lease = caller.leases.find(({ given, size }) => given < size) ?? order(caller, allowed, take);
      const place = ++lease.given;
      if (place === lease.size) drop(caller, lease);
      const taken = await lease.answer;
      return taken === undefined ? undefined : taken - lease.size + place;
    },
    giveBack(window, number) {
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

function order(caller: Caller, allowed: number | undefined, take: AddToCounter): Lease {
  const size = sizeOf(caller, allowed);
  const { isKept } = caller;
  const lease: Lease = { size, given: 0, answer: take(size, isKept) };
  caller.leases.push(lease);
  const lose = () => {
    // Whether it was taken nobody knows. What is asked for next may be lost as well, so it begins with one again.
    caller.seen = 0;
    drop(caller, lease);
  };
  lease.answer.then((taken) => {
    if (taken === undefined) return lose();
    caller.used = Math.max(caller.used, taken);
    // A count that holds no more than this lease is another one: the earlier one was lost.
    caller.isKept = !isKept || taken !== size;
  }, lose);
  return lease;
}

/** Numbers that nobody has, those included that were given back. */
function unusedOf({ leases, returned }: Caller): number {
  return leases.reduce((sum, { size, given }) => sum + size - given, returned.length);
}

function drop(caller: Caller, lease: Lease): void {
  caller.leases = caller.leases.filter((one) => one !== lease);
}

function sizeOf({ seen, used }: Caller, allowed: number | undefined): number {
  if (allowed === undefined) return 1;
  const size = Math.floor(Math.min(seen * SHARE_OF_SEEN, (allowed - used) * SHARE_OF_LEFT, MAX_SIZE));
  return Math.max(1, size);
}
