// Endpoints whose code is loaded by the first request for them, so that they do not make the function start slower.
import { Hono, type Context as HonoContext } from 'hono';
import type { Guard } from '../access/guard.ts';
import { ApiError } from '../errors.ts';
import type { RequestVariables } from '../request/request-context.ts';
import { type App, respondWithError, type Service } from './app.ts';
import { type Endpoints, mountEndpoints } from './endpoint.ts';
import { routeOf } from './log-requests.ts';

interface Inner {
  Variables: RequestVariables;
  Bindings: { outer: HonoContext<{ Variables: RequestVariables }> };
}

/** Mounts endpoints whose paths begin with `prefix`. Each of their responses has these headers. */
export function mountLazily(
  app: App,
  service: Service,
  guard: Guard,
  { prefix, headers, load }: { prefix: string; headers: Record<string, string>; load(): Promise<Endpoints> },
): void {
  let inner: Promise<Hono<Inner>> | undefined;
  app.all(`/${service.name}${prefix}/*`, async (c) => {
    const { requestContext } = c.var;
    requestContext.responseHeaders = { ...requestContext.responseHeaders, ...headers };
    inner ??= load().then((endpoints) => createInner(service, guard, endpoints));
    // A module that failed to load is loaded again by the next request.
    inner.catch(() => {
      inner = undefined;
    });
    return (await inner).fetch(c.req.raw, { outer: c });
  });
}

function createInner(service: Service, guard: Guard, endpoints: Endpoints): Hono<Inner> {
  const app = new Hono<Inner>();
  app.use(async (c, next) => {
    const { outer } = c.env;
    c.set('requestContext', outer.var.requestContext);
    c.set('log', outer.var.log);
    await next();
    outer.error = c.error;
    outer.var.requestContext.route = routeOf(c);
  });
  app.onError((error, c) =>
    respondWithError(service, error, c as unknown as HonoContext<{ Variables: RequestVariables }>),
  );
  app.notFound(() => {
    throw new ApiError('not_found', 'No such route.');
  });
  mountEndpoints(app as unknown as App, service, guard, endpoints);
  return app;
}
