// The console is for the person at this machine: not for a page of somebody else's that sends their browser here.
import type { MiddlewareHandler } from 'hono';
import { csrf } from 'hono/csrf';
import { secureHeaders } from 'hono/secure-headers';

/**
 * Refuses requests for another name than this machine's: a name that leads here only since somebody changed what it
 * leads to (DNS rebinding) would give its page what the console shows.
 */
export function ownHostOnly(url: string): MiddlewareHandler {
  const { port } = new URL(url);
  const names = ['127.0.0.1', 'localhost', '[::1]'].map((name) => (port === '' ? name : `${name}:${port}`));
  return async function ownHost(c, next) {
    if (names.includes(c.req.header('host') ?? '')) return await next();
    return c.text(`The console answers at ${url} alone.`, 403);
  };
}

/** Lets a form change something only from a page of the console itself: `Origin`, or `Sec-Fetch-Site`, says so. */
export const ownFormsOnly: MiddlewareHandler = csrf();

const SELF = "'self'";
const NONE = "'none'";

interface Allowance {
  /** Styles that a script writes, such as those of the API reference. */
  inlineStyles?: boolean;
}

/** Nothing from outside, and no script but the console's own files. */
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
