// Leases of a rate limit: a worker takes a caller's next few requests from the common count at once, and asks again when
// they are used up. No number is given twice, so never more requests get through than the limit says; what a worker took and
// does not use is lost to the window, so it takes one at first, more as it sees more, and one by one near the limit.
import QuickLRU from 'quick-lru';

/** A caller's place in the present window. */
export interface Usage {
  /** Requests of this window, the present one included when it is counted. */
  used: number;
  /** When the window ends, in milliseconds since 1970. */
  resetsAtMs: number;
}

/** Adds so many requests to the caller's common count, and gives what it is then; undefined when it cannot be asked. */
export type Take = (requests: number) => Promise<Usage | undefined>;

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
  answer: Promise<Usage | undefined>;
}

interface Caller {
  leases: Lease[];
  /** Numbers of requests that were not to count after all: the next ones'. */
  returned: Usage[];
  /** Requests that the worker saw in this window. */
  seen: number;
  /** The highest number that the worker knows to be taken. */
  used: number;
  resetsAtMs: number;
}

export interface Leases {
  /**
   * Counts a request. `allowed` is the limit as far as it is known: it says how many are leased, and decides nothing else.
   * Undefined when the common count cannot be asked and no lease is left.
   */
  count(id: string, allowed: number | undefined, take: Take): Promise<Usage | undefined>;
  /** Has a request not count after all, where a lease goes on: the next one gets its number. False where none does. */
  giveBack(id: string, usage: Usage): boolean;
  /** Numbers that are leased and not used. */
  unused(id: string): number;
}

export function createLeases(nowMs: () => number = Date.now): Leases {
  const callers = new QuickLRU<string, Caller>({ maxSize: MAX_CALLERS });

  const callerOf = (id: string): Caller => {
    const known = callers.get(id);
    if (known && nowMs() < known.resetsAtMs) return known;
    const caller = { leases: [], returned: [], seen: 0, used: 0, resetsAtMs: Number.POSITIVE_INFINITY };
    callers.set(id, caller);
    return caller;
  };

  return {
    async count(id, allowed, take) {
      const caller = callerOf(id);
      caller.seen++;
      const returned = caller.returned.pop();
      if (returned) return returned;
      const lease = caller.leases.find(({ given, size }) => given < size) ?? order(caller, allowed, take);
      const place = ++lease.given;
      if (place === lease.size) drop(caller, lease);
      const usage = await lease.answer;
      return usage && { used: usage.used - lease.size + place, resetsAtMs: usage.resetsAtMs };
    },
    giveBack(id, usage) {
      const caller = callerOf(id);
      const goesOn = caller.resetsAtMs === usage.resetsAtMs && unusedOf(caller) > 0;
      if (goesOn) caller.returned.push(usage);
      return goesOn;
    },
    unused: (id) => unusedOf(callerOf(id)),
  };
}

function order(caller: Caller, allowed: number | undefined, take: Take): Lease {
  const size = sizeOf(caller, allowed);
  const lease: Lease = { size, given: 0, answer: take(size) };
  caller.leases.push(lease);
  lease.answer.then(
    (usage) => {
      if (!usage) return drop(caller, lease);
      caller.used = Math.max(caller.used, usage.used);
      caller.resetsAtMs = Math.min(caller.resetsAtMs, usage.resetsAtMs);
    },
    () => drop(caller, lease),
  );
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
