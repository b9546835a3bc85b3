// Counts attempts by address: Auth sees only the address of the console, and would lock everyone out.
import ipaddr from 'ipaddr.js';
import type { Clock } from './sealed.ts';

const WINDOW_MS = 60_000;
const MAX_WRONG_SIGN_INS = 10;
/** More addresses than this at a time are counted as one. */
const MAX_ADDRESSES = 100_000;

export class AttemptsByAddress {
  readonly #clock: Clock;
  readonly #max: number;
  /** Times of attempts that failed or have no outcome yet, by address. */
  readonly #attempts = new Map<string, number[]>();

  /** `max`: how many attempts an address has in a minute. */
  constructor(clock: Clock, max = MAX_WRONG_SIGN_INS) {
    this.#clock = clock;
    this.#max = max;
  }

  /** Counts an attempt until `succeeded` is called. Returns the seconds to wait if there were too many. */
  begin(address: string): { waitSeconds: number } | { succeeded(): void } {
    const now = this.#clock.now();
    const key = this.#keyOf(networkOf(address), now);
    const recent = (this.#attempts.get(key) ?? []).filter((at) => now - at < WINDOW_MS);
    const [oldest] = recent;
    if (oldest !== undefined && recent.length >= this.#max)
      return { waitSeconds: Math.ceil((oldest + WINDOW_MS - now) / 1000) };
    recent.push(now);
    this.#attempts.set(key, recent);
    return {
      succeeded: () => {
        // Other attempts of the address may have replaced the list.
        const times = this.#attempts.get(key) ?? [];
        const at = times.lastIndexOf(now);
        if (at >= 0) times.splice(at, 1);
      },
    };
  }

  #keyOf(network: string, now: number): string {
    if (this.#attempts.size < MAX_ADDRESSES || this.#attempts.has(network)) return network;
    for (const [key, times] of this.#attempts)
      if (times.every((at) => now - at >= WINDOW_MS)) this.#attempts.delete(key);
    return this.#attempts.size < MAX_ADDRESSES ? network : 'others';
  }
}

/** One household or host has a whole /64 of IPv6. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv6'
    ? ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`).toString()
    : `${parsed}`;
}
