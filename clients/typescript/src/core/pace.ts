// Schedules requests within the rate limit that the service reports.
import { retryAfterOf } from './responses.ts';

/** Below this share of the limit, requests are spread over the rest of the window. */
const SPREAD_BELOW = 0.2;
/** Windows are clock minutes. A wrong clock must not delay requests longer than that. */
const LONGEST_WINDOW_MS = 60_000;

export class Pace {
  #notBefore = 0;
  #windowEndsAt = 0;
  #remaining = Number.POSITIVE_INFINITY;
  #limit = 0;

  /** Reserves a slot. Returns the wait in milliseconds. */
  take(now: number): number {
    let at = Math.max(now, this.#notBefore);
    if (at < this.#windowEndsAt && this.#remaining < this.#limit * SPREAD_BELOW) {
      // With no requests left, the first slot is in the next window.
      const gap = (this.#windowEndsAt - at) / (Math.max(0, this.#remaining) + 1);
      if (this.#remaining <= 0) at = this.#windowEndsAt;
      else this.#notBefore = at + gap;
    }
    this.#remaining -= 1;
    return at - now;
  }

  /** Reads the rate limit headers of a response. A 429 delays later requests by at most `maxWaitMs`. */
  learn(status: number, headers: Headers, now: number, maxWaitMs: number): void {
    const number = (name: string) => Number(headers.get(name) ?? Number.NaN);
    const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
      number(`x-ratelimit-${name}`),
    );
    if (limit !== undefined && remaining !== undefined && reset !== undefined && limit >= 0 && reset > 0) {
      // Prefer the server's own clock.
      const serverNow = Date.parse(headers.get('date') ?? '') || now;
      const endsAt = now + Math.min(LONGEST_WINDOW_MS, Math.max(0, reset * 1000 - serverNow));
      // Responses can arrive out of order: within one window the lowest count is the latest.
      const sameWindow = Math.abs(endsAt - this.#windowEndsAt) < 2000;
      this.#remaining = sameWindow ? Math.min(this.#remaining, remaining) : remaining;
      this.#windowEndsAt = endsAt;
      this.#limit = limit;
    }
    // If requests are left, the 429 concerns only this request, such as an invitation that was mailed recently.
    const waitMs = (retryAfterOf(headers) ?? 0) * 1000;
    if (status === 429 && !(remaining !== undefined && remaining > 0) && waitMs <= maxWaitMs) {
      this.#notBefore = Math.max(this.#notBefore, now + waitMs);
    }
  }
}
