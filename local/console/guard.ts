// Protects the console from other websites that are open in the same browser.
import type { MiddlewareHandler } from 'hono';
import { csrf } from 'hono/csrf';
import { secureHeaders } from 'hono/secure-headers';

/**
 * Rejects requests with another host name, which prevents DNS rebinding: a foreign name that resolves to this machine would
 * let its page read the console.
 */
export function ownHostOnly(url: string): MiddlewareHandler {
  const { port } = new URL(url);
  const names = ['127.0.0.1', 'localhost', '[::1]'].map((name) => (port === '' ? name : `${name}:${port}`));
  return async function ownHost(c, next) {
    if (names.includes(c.req.header('host') ?? '')) return await next();
    return c.text(`Open the console at ${url}. Other host names are rejected.`, 403);
  };
}

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
