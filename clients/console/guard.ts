// Protects the console from other websites that are open in the same browser.
import type { Context, MiddlewareHandler } from 'hono';
import { csrf } from 'hono/csrf';
import { matchedRoutes } from 'hono/route';
import { secureHeaders } from 'hono/secure-headers';

/** Accepts forms only from pages of the console itself, checked with `Origin` or `Sec-Fetch-Site`. */
export const ownFormsOnly: MiddlewareHandler = (c, next) => (hasRoute(c) ? ofOwnPages(c, next) : next());

const ofOwnPages = csrf();

/** Whether the console has this path. All other paths return 404, regardless of the request. */
export const hasRoute = (c: Context): boolean => matchedRoutes(c).some(({ path }) => !path.endsWith('*'));

const SELF = "'self'";
const YEAR_SECONDS = 365 * 24 * 60 * 60;
const NONE = "'none'";

interface Allowance {
  /** Allows inline styles from scripts, such as those of the API reference. */
  inlineStyles?: boolean;
  /** Tells browsers to use https only. */
  isHttps?: boolean;
  /** Keeps the address of the page from all others. */
  hidesAddress?: boolean;
}

/** Allows nothing from other hosts, and only the console's own scripts. */
export function restrictPage({
  inlineStyles = false,
  isHttps = false,
  hidesAddress = false,
}: Allowance = {}): MiddlewareHandler {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: [NONE],
      scriptSrc: [SELF],
      styleSrc: inlineStyles ? [SELF, "'unsafe-inline'"] : [SELF],
      imgSrc: [SELF, 'data:'],
      fontSrc: [SELF],
      connectSrc: [SELF],
      formAction: [SELF],
      frameAncestors: [NONE],
      baseUri: [NONE],
    },
    xFrameOptions: 'DENY',
    referrerPolicy: hidesAddress ? 'no-referrer' : 'same-origin',
    strictTransportSecurity: isHttps && `max-age=${YEAR_SECONDS}`,
  });
}
