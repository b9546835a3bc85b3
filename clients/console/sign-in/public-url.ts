// Protects the console by its public address: host names, origins of forms, and where a sign-in may lead.
import type { MiddlewareHandler } from 'hono';

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);

/** The origin that browsers use. Undefined unless it is https, or http on this machine, without a path. */
export function readPublicUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
  const isOrigin = url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password;
  return isSafe && isOrigin ? url : undefined;
}

/** Rejects other host names and forms of other pages. `X-Forwarded-Host` is not read, because any client can send it. */
export const requirePublicUrl =
  ({ host, origin }: URL): MiddlewareHandler =>
  async (c, next) => {
    if (c.req.header('host')?.toLowerCase() !== host)
      return c.text(`Open ${origin}. Other host names are rejected.\n`, 403);
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
    if (!isRead && c.req.header('origin') !== origin)
      return c.text('Forms are accepted only from pages of the console.\n', 403);
    return await next();
  };

/**
 * Where to go after signing in: a path of this console, else `/`. Printable ASCII only, because browsers drop tabs and line breaks from
 * addresses and read `\` as `/`.
 */
export const ownTarget = (next: unknown): string =>
  typeof next === 'string' && /^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(next) ? next : '/';

/** A path of the console with the target to go to afterwards. */
export const withNext = (path: string, next: string, more: Readonly<Record<string, string>> = {}): string => {
  const query = new URLSearchParams({ ...more, ...(next !== '/' && { next }) });
  return query.size > 0 ? `${path}?${query}` : path;
};
