// Protects the console from other websites that are open in the same browser.
import type { MiddlewareHandler } from 'hono';
import { csrf } from 'hono/csrf';
import { secureHeaders } from 'hono/secure-headers';

/** Accepts forms only from pages of the console itself, checked with `Origin` or `Sec-Fetch-Site`. */
export const ownFormsOnly: MiddlewareHandler = csrf();

const SELF = "'self'";
const NONE = "'none'";

interface Allowance {
  /** Allows inline styles from scripts, such as those of the API reference. */
  inlineStyles?: boolean;
}

/** Allows nothing from other hosts, and only the console's own scripts. */
export function restrictPage({ inlineStyles = false }: Allowance = {}): MiddlewareHandler {
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
    referrerPolicy: 'same-origin',
    strictTransportSecurity: false,
  });
}
