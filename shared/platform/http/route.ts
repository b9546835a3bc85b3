import type { Context as HonoContext } from 'hono';
import { routePath } from 'hono/route';

/** The pattern of the request's route; undefined if there is none. */
export function routeOf(c: HonoContext): string | undefined {
  // The path of the last handler that ran. If only middleware for all paths ran, the route does not exist.
  const route = routePath(c);
  return route.endsWith('*') ? undefined : route;
}
