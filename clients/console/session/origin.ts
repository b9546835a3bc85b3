// Rejects requests by other host names (DNS rebinding) and forms of other pages.
import type { MiddlewareHandler } from 'hono';

/** `hosts`: values of the Host header, such as `127.0.0.1:4650`. */
export const requireOwnHost =
  (hosts: readonly string[]): MiddlewareHandler =>
  async (c, next) => {
    const host = c.req.header('host')?.toLowerCase() ?? '';
    if (!hosts.includes(host))
      return c.text(`Open http://${hosts[0]}. Other host names are rejected.\n`, 403);
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
    if (!isRead && c.req.header('origin') !== `http://${host}`)
      return c.text('Forms are accepted only from pages of the console.\n', 403);
    return await next();
  };
