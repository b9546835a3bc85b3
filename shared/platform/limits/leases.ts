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

/** Adds so many requests to the common count, and gives what it is then; undefined when it cannot be asked. */
export type Take = (id: string, requests: number) => Promise<Usage | undefined>;

/** A lease is at most this share of what the worker saw of the caller in the window, and of what the limit leaves. */
const SHARE_OF_SEEN = 1 / 4;
const SHARE_OF_LEFT = 1 / 32;
const MAX_SIZE = 64;
/** Callers whom a worker remembers. One that is forgotten loses its lease. */
const MAX_CALLERS = 10_000;

interface Lease {
  size: number;
  /** How many of its numbers are given to requests, some of which may wait for it. */
  given: number;
  answer: Promise<Usage | undefined>;
  /** Set once it was answered. */
  resetsAtMs?: number;
}

interface Caller {
  leases: Lease[];
  /** Numbers of requests that were not to count after all. */
  returned: Usage[];
  /** Requests that the worker saw in this window. */
  seen: number;
  /** The highest number that the worker knows to be taken. */
  used: number;
  resetsAtMs: number;
  /** The limit, as the caller was last told. */
  allowed: number | undefined;
}

export interface Leases {
  /** Counts a request. Undefined when the common count cannot be asked and no lease is left. */
  count(id: string): Promise<Usage | undefined>;
  /** Remembers the limit, by which leases are sized; it decides nothing else. */
  learn(id: string, allowed: number): void;
  /** Has a request not count after all: its number is the next one's. */
  giveBack(id: string, usage: Usage): void;
}

export function createLeases(take: Take, nowMs: () => number = Date.now): Leases {
  const callers = new QuickLRU<string, Caller>({ maxSize: MAX_CALLERS });

  const callerOf = (id: string): Caller => {
    const known = callers.get(id);
    if (known && nowMs() < known.resetsAtMs) return known;
    const caller = { leases: [], returned: [], seen: 0, used: 0, resetsAtMs: Number.POSITIVE_INFINITY };
    const fresh = { ...caller, allowed: known?.allowed };
    callers.set(id, fresh);
    return fresh;
  };

  const order = (id: string, caller: Caller): Lease => {
    const size = sizeOf(caller);
    const lease: Lease = { size, given: 0, answer: take(id, size) };
    caller.leases.push(lease);
    const drop = () => {
      caller.leases = caller.leases.filter((one) => one !== lease);
    };
    lease.answer.then((usage) => {
      if (!usage) return drop();
      lease.resetsAtMs = usage.resetsAtMs;
      caller.used = Math.max(caller.used, usage.used);
      caller.resetsAtMs = Math.min(caller.resetsAtMs, usage.resetsAtMs);
    }, drop);
    return lease;
  };

  return {
    async count(id) {
      const caller = callerOf(id);
      caller.seen++;
      const returned = caller.returned.pop();
      if (returned) return returned;
      const lease = caller.leases.find((one) => one.given < one.size) ?? order(id, caller);
      const place = ++lease.given;
      if (place === lease.size) caller.leases = caller.leases.filter((one) => one !== lease);
      const usage = await lease.answer;
      return usage && { used: usage.used - lease.size + place, resetsAtMs: usage.resetsAtMs };
    },
    learn(id, allowed) {
      callerOf(id).allowed = allowed;
    },
    giveBack(id, usage) {
      const caller = callerOf(id);
      if (caller.resetsAtMs === usage.resetsAtMs) caller.returned.push(usage);
    },
  };
}

function sizeOf({ seen, used, allowed }: Caller): number {
  if (allowed === undefined) return 1;
  const size = Math.floor(Math.min(seen * SHARE_OF_SEEN, (allowed - used) * SHARE_OF_LEFT, MAX_SIZE));
  return Math.max(1, size);
}
