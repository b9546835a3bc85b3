// When the next request may go: keeps to what the service said about its limit.
import { retryAfterOf } from './answers.ts';

/** Below this part of the limit requests are spread over the rest of the window. */
const SPREAD_BELOW = 0.2;
/** Windows are clock minutes: a clock that is wrong shall not hold a request for longer. */
const LONGEST_WINDOW_MS = 60_000;

export class Pace {
  #notBefore = 0;
  #windowEndsAt = 0;
  #remaining = Number.POSITIVE_INFINITY;
  #limit = 0;

  /** Takes a place, and says how long to wait for it. */
  take(now: number): number {
    let at = Math.max(now, this.#notBefore);
    if (at < this.#windowEndsAt && this.#remaining < this.#limit * SPREAD_BELOW) {
      // Without any left, the place is the first one of the next window.
      const gap = (this.#windowEndsAt - at) / (Math.max(0, this.#remaining) + 1);
      if (this.#remaining <= 0) at = this.#windowEndsAt;
      else this.#notBefore = at + gap;
    }
    this.#remaining -= 1;
    return at - now;
  }

  /** Reads the rate headers of an answer; a 429 holds what follows back, for `maxWaitMs` at most. */
  learn(status: number, headers: Headers, now: number, maxWaitMs: number): void {
    const number = (name: string) => Number(headers.get(name) ?? Number.NaN);
    const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
      number(`x-ratelimit-${name}`),
    );
    if (limit !== undefined && remaining !== undefined && reset !== undefined && limit >= 0 && reset > 0) {
      // The server's own clock, where it says it.
      const serverNow = Date.parse(headers.get('date') ?? '') || now;
      const endsAt = now + Math.min(LONGEST_WINDOW_MS, Math.max(0, reset * 1000 - serverNow));
      // Answers overtake each other: of one window the lowest count is the latest.
      const sameWindow = Math.abs(endsAt - this.#windowEndsAt) < 2000;
      this.#remaining = sameWindow ? Math.min(this.#remaining, remaining) : remaining;
      this.#windowEndsAt = endsAt;
      this.#limit = limit;
    }
    // With requests left, the 429 is about that one request, such as an invitation that was mailed lately.
    const waitMs = (retryAfterOf(headers) ?? 0) * 1000;
    if (status === 429 && !(remaining !== undefined && remaining > 0) && waitMs <= maxWaitMs) {
      this.#notBefore = Math.max(this.#notBefore, now + waitMs);
    }
  }
}
