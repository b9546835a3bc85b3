import type { Context as HonoContext } from 'hono';
import { routePath } from 'hono/route';
import type { RequestVariables } from '../request/request-context.ts';

/** The pattern of the request's route; undefined if there is none. */
export function routeOf(c: HonoContext): string | undefined {
  const { requestContext } = c.var as Partial<RequestVariables>;
  if (requestContext?.route !== undefined) return requestContext.route;
  // The path of the last handler that ran. If only middleware for all paths ran, the route does not exist.
  const route = routePath(c);
  return route.endsWith('*') ? undefined : route;
}
