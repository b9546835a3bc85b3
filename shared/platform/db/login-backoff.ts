// Delays connection attempts after the database rejects our login. Poolers block an address for minutes after a few wrong passwords, and
// extend the block with every further attempt.
import type { Logger } from '../logger.ts';
import { databaseUnreachable } from './unavailable.ts';

const HOLD_BACK_MS = 10_000;
const LOG_MS = 60_000;
const REJECTED_LOGIN = new Set(['28P01', '28000']);

export class LoginBackoff {
  readonly #log: Logger;
  #untilMs = 0;
  #cause: Error | undefined;
  /** When each code was last logged. */
  readonly #loggedMs = new Map<string, number>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Call this before connecting. Throws 503 if it is too early for another attempt. */
  check(): void {
    const nowMs = performance.now();
    const leftMs = this.#untilMs - nowMs;
    if (this.#cause && leftMs > 0)
      throw databaseUnreachable(this.#cause, 'none', Math.max(1, Math.ceil(leftMs / 1000)));
    // Other requests are held back until this attempt has a result.
    if (this.#cause) this.#untilMs = nowMs + HOLD_BACK_MS;
  }

  connected(): void {
    this.#cause = undefined;
  }

  /** Logs a failed attempt, at most once a minute per code. Holds back further attempts after a rejected login. */
  failed(error: Error): void {
    const given = 'code' in error && error.code;
    const code = String(given || (error.message.startsWith('no response') ? 'timeout' : error.name));
    const nowMs = performance.now();
    const isRejected = REJECTED_LOGIN.has(code) || /circuit breaker/i.test(error.message);
    if (isRejected) [this.#cause, this.#untilMs] = [error, nowMs + HOLD_BACK_MS];
    if (nowMs < (this.#loggedMs.get(code) ?? Number.NEGATIVE_INFINITY) + LOG_MS) return;
    this.#loggedMs.set(code, nowMs);
    // The code is sufficient. The address, user and password must not be logged.
    const held_back_s = isRejected ? HOLD_BACK_MS / 1000 : 0;
    this.#log.error('the database refused a connection', { code, held_back_s });
  }
}
