// Signs in the person who can read the terminal: first with an eight-digit code, then with a cookie of this process.
import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { hasRoute } from '../guard.ts';

const MAX_WRONG_CODES = 5;

const sameText = (given: string, expected: string): boolean => {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
};

export class Session {
  /** Shown in the terminal. */
  readonly code = String(randomInt(0, 100_000_000)).padStart(8, '0');
  /** Every form contains this token. */
  readonly csrf = randomBytes(24).toString('base64url');
  readonly #token = randomBytes(24).toString('base64url');
  readonly #cookie: string;
  #wrongCodes = 0;

  /** Browsers share cookies between ports, so the cookie's name contains the port. */
  constructor(port: number) {
    this.#cookie = `placar_console_${port}`;
  }

  isOpen(c: Context): boolean {
    return sameText(getCookie(c, this.#cookie) ?? '', this.#token);
  }

  /** Sets the cookie if the code is right. Returns how many attempts are left otherwise. */
  open(c: Context, code: string): { opened: boolean; attemptsLeft: number } {
    const opened = this.#wrongCodes < MAX_WRONG_CODES && sameText(code.replaceAll(/\s/g, ''), this.code);
    if (opened) setCookie(c, this.#cookie, this.#token, { path: '/', httpOnly: true, sameSite: 'Strict' });
    else this.#wrongCodes += 1;
    return { opened, attemptsLeft: MAX_WRONG_CODES - this.#wrongCodes };
  }
}

/** Rejects forms without the session's CSRF token. */
export const requireCsrf =
  (csrfOf: (c: Context) => string): MiddlewareHandler =>
  async (c, next) => {
    if (hasRoute(c) && c.req.method !== 'GET' && c.req.method !== 'HEAD') {
      // A body that is no form has no token.
      const form = await c.req.parseBody().catch(() => undefined);
      const given = form?._csrf;
      if (typeof given !== 'string' || !sameText(given, csrfOf(c)))
        return c.text('Invalid form token.\n', 403);
    }
    return await next();
  };
