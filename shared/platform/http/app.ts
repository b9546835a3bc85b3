// The Hono app that all edge functions share: request ids, request log, error responses and health check. A function adds its endpoints
// (`endpoint.ts`) or plain routes.
import { type Handler, Hono, type Context as HonoContext, type MiddlewareHandler } from 'hono';
import type { Counter } from '../access/request-counter.ts';
import type { Database } from '../db/database.ts';
import { checkLoginRights } from '../db/login-rights.ts';
import { pageAddress } from '../documentation.ts';
import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';
import type { QStashQueue } from '../jobs/publish.ts';
import type { Logger } from '../logger.ts';
import { discardBody, limitDeclaredSize, type MemberLimits } from '../request/body.ts';
import {
  type ChallengeParameters,
  challengeHeader,
  type ErrorFormat,
  toApiError,
} from '../request/error-formats.ts';
import { type RequestVariables, startRequest } from '../request/request-context.ts';
import { createTelemetry, type TelemetrySettings } from '../telemetry/telemetry.ts';
import { createHealthCheck, createReadinessCheck } from './health.ts';
import { type Identify, logRequests } from './log-requests.ts';
import { traceRequests } from './trace-requests.ts';

export interface Service {
  /** Name of the edge function, the first segment of its paths. */
  name: string;
  errorFormat: ErrorFormat;
  /** Authentication schemes in `WWW-Authenticate` of a 401 (RFC 9110, section 11.6.1). */
  schemes: readonly string[];
  /** The schemes for an `Authorization` header, if they depend on it. */
  schemesFor?: (authorization: string | undefined) => readonly string[] | undefined;
  /** Parameters of each `WWW-Authenticate`. Default: a realm. */
  challenge?: ChallengeParameters;
  database: Database;
  log: Logger;
  /** Counts unknown callers across all workers. Without it, each worker counts separately. */
  counter?: Counter;
  /** Identifies the sender of an `Authorization` header for the request log, if it is known without a lookup. */
  identify?: Identify;
  /** Publishes the jobs that requests create. Without it, they wait for the sweep. */
  queue?: QStashQueue;
  environment: 'production' | 'staging';
  /** The header that contains the caller's IP address; empty if there is none. */
  addressHeader: string;
  /** Request log rows per minute for unknown callers from one address. */
  unknownCallerRows: number;
  /** The documentation that errors link to. Default: the published site. */
  docsUrl?: string;
  /** Settings of tracing. Without them it is off. */
  telemetry?: TelemetrySettings;
  /** Advice in errors whose outcome is unknown. By default they advise the caller to check first. */
  unknownOutcomeAdvice?: string;
  /** Maximum members and items of a JSON body. Default: `MAX_MEMBERS`. */
  members?: MemberLimits;
  /** Middleware that runs for every response, including errors. */
  responseMiddleware?: MiddlewareHandler<{ Variables: RequestVariables }>;
}

export type App = Hono<{ Variables: RequestVariables }>;

/** The options of a service that come from the `app` and `telemetry` settings. */
export const appSettings = (env: Env<'app' | 'telemetry'>) => ({
  environment: env.APP_ENV,
  addressHeader: env.CLIENT_ADDRESS_HEADER,
  unknownCallerRows: env.UNKNOWN_CALLER_ROWS,
  docsUrl: env.DOCS_URL,
  telemetry: env,
});

/** Creates the app of a function with its health checks. */
export function createApp(service: Service): App {
  const { name, log } = service;
  const ownLog = log.with({ function: name });
  const health = createHealthRoutes({ ...service, log: ownLog });
  if (service.environment === 'production') checkLoginRights(service.database, log);
  const app: App = new Hono();
  const unlogged = new Set(Object.keys(health));
  app.use(logRequests({ ...service, log: ownLog, unloggedPaths: unlogged }));
  app.use(startRequest(service));
  const telemetry = service.telemetry && createTelemetry(service.telemetry, name, ownLog);
  app.use(traceRequests({ telemetry, untracedPaths: unlogged }));
  if (service.responseMiddleware) app.use(service.responseMiddleware);
  app.use(limitDeclaredSize());
  app.onError((error, c) => respondWithError(service, error, c));
  app.notFound(() => {
    throw new ApiError('not_found', 'No such route.');
  });
  for (const [path, respond] of Object.entries(health)) {
    addRoute(app, 'get', path, respond);
  }
  return app;
}

/** By path. */
function createHealthRoutes(service: Service): Record<string, () => Response | Promise<Response>> {
  const path = `/${service.name}/health`;
  return {
    [path]: createHealthCheck(service),
    [`${path}/live`]: () => Response.json({ status: 'ok' }, { headers: { 'Cache-Control': 'no-store' } }),
    [`${path}/ready`]: createReadinessCheck(service),
  };
}

/** Formats an error, and logs nothing: `logRequests` does. */
export async function respondWithError(
  { errorFormat, schemes, schemesFor, challenge, docsUrl }: Service,
  thrown: Error,
  c: HonoContext<{ Variables: RequestVariables }>,
): Promise<Response> {
  const request = c.get('requestContext');
  const error = toApiError(thrown, request.requestId);
  if (error.page) error.message = `${error.message} See ${pageAddress(error.page, docsUrl)}.`;
  // Clients send the request again, to the address in the response, so they must receive it.
  if (error.code === 'tenant_moved') await discardBody(c.req.raw);
  const { status, contentType, body } = request.storedErrorResponse ?? errorFormat(error, request);
  const headers: Record<string, string> = {
    'Content-Type': contentType,
    ...error.headers,
  };
  if (error.retryAfterSeconds !== undefined) headers['Retry-After'] = String(error.retryAfterSeconds);
  if ((status === 401 || error.challenge) && !headers['WWW-Authenticate']) {
    headers['WWW-Authenticate'] = challengeHeader(
      schemesFor?.(c.req.header('authorization')) ?? schemes,
      error.challenge,
      challenge,
    );
  }
  // `c.body` keeps headers that were set before the error, such as Allow. The cast is needed because Hono types statuses as literals.
  return c.body(JSON.stringify(body), status as 500, headers);
}

/** Adds a plain route, and responds with 405 to the other methods of its path. */
export function addRoute<const Path extends string>(
  app: App,
  method: 'get' | 'post',
  path: Path,
  handler: Handler<{ Variables: RequestVariables }, Path>,
): void {
  app.on(method.toUpperCase(), path, handler);
  rejectOtherMethods(app, path, method === 'get' ? ['GET', 'HEAD'] : ['POST']);
}

/** Responds with 405 to all other methods of a path. */
export function rejectOtherMethods(app: App, path: string, methods: string[]): void {
  const allow = methods.join(', ');
  app.all(path, (c) => {
    c.header('Allow', allow);
    throw new ApiError('method_not_allowed', `Method not allowed. Use ${methods.join(' or ')}.`);
  });
}
