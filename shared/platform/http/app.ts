// The app that every edge function is: request ids, the request log, errors in the interface's format, and the health
// check. A function adds its endpoints (`endpoint.ts`) or plain routes.
import { Hono, type Context as HonoContext, type MiddlewareHandler } from 'hono';
import type { Counter } from '../access/request-counter.ts';
import type { Database } from '../db/database.ts';
import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';
import type { Queue } from '../jobs/publish.ts';
import type { Logger } from '../logger.ts';
import { limitDeclaredSize, type MemberLimits } from '../request/body.ts';
import { challengeHeader, type ErrorFormat, toApiError } from '../request/error-formats.ts';
import { type RequestVariables, startRequest } from '../request/request-context.ts';
import { createHealthCheck } from './health.ts';
import { type Identify, logRequests } from './log-requests.ts';

export interface Service {
  /** Name of the edge function, the first segment of its paths. */
  name: string;
  errorFormat: ErrorFormat;
  /** Authentication schemes that a 401 names (RFC 9110, section 11.6.1). */
  schemes: readonly string[];
  database: Database;
  log: Logger;
  /** Counts unknown callers over all workers; without it each worker counts its own. */
  counter?: Counter;
  /** Who sent this `Authorization`, as far as that costs no question to anybody: for the request log. */
  identify?: Identify;
  /** Publishes the jobs that writing requests cause; absent where none do. */
  queue?: Queue;
  environment: 'production' | 'staging';
  /** The header that says from which address a caller comes; empty when none does. */
  addressHeader: string;
  /** Rows of the request log a minute for one address of callers whom nobody knows. */
  unknownCallerRows: number;
  /** What a caller can do who does not know whether a request was done; to look, where nothing better is said. */
  whenUnsure?: string;
  /** Most members and items that a JSON body may have; `MAX_MEMBERS` when absent. */
  members?: MemberLimits;
  /** Middleware around every answer, whatever it refuses. */
  aroundAnswers?: MiddlewareHandler<{ Variables: RequestVariables }>;
}

export type App = Hono<{ Variables: RequestVariables }>;

/** What a service takes from the settings of its app. */
export const appSettings = (env: Env<'app'>) => ({
  environment: env.APP_ENV,
  addressHeader: env.CLIENT_ADDRESS_HEADER,
  unknownCallerRows: env.UNKNOWN_CALLER_ROWS,
});

/** Makes the app of a function with its health check. */
export function createApp(service: Service): App {
  const { name, log } = service;
  const healthPath = `/${name}/health`;
  const app: App = new Hono();
  app.use(logRequests({ ...service, log: log.with({ function: name }), healthPath }));
  app.use(startRequest(service));
  if (service.aroundAnswers) app.use(service.aroundAnswers);
  app.use(limitDeclaredSize());
  app.onError((error, c) => respondWithError(service, error, c));
  app.notFound(() => {
    throw new ApiError('not_found', 'No such route.');
  });
  app.get(healthPath, createHealthCheck({ ...service, log: log.with({ function: name }) }));
  refuseOtherMethods(app, healthPath, ['GET', 'HEAD']);
  return app;
}

function respondWithError(
  { errorFormat, schemes }: Service,
  thrown: Error,
  c: HonoContext<{ Variables: RequestVariables }>,
): Response {
  const request = c.get('requestContext');
  const error = toApiError(thrown, request.requestId);
  const { status, contentType, body } = request.errorAnswer ?? errorFormat(error, request);
  request.builtWith = request.answerHeaders;
  const headers: Record<string, string> = {
    'Content-Type': contentType,
    ...request.answerHeaders,
    ...error.headers,
  };
  if (error.retryAfterSeconds !== undefined) headers['Retry-After'] = String(error.retryAfterSeconds);
  if (status === 401 || error.challenge) {
    headers['WWW-Authenticate'] = challengeHeader(schemes, error.challenge);
  }
  // Through the context, so that headers set before the error, such as Allow, stay. Hono types statuses one by one.
  return c.body(JSON.stringify(body), status as 500, headers);
}

/** Answers 405 for the methods that a path does not have. */
export function refuseOtherMethods(app: App, path: string, methods: string[]): void {
  const allow = methods.join(', ');
  app.all(path, (c) => {
    c.header('Allow', allow);
    throw new ApiError('method_not_allowed', `This address takes ${allow} alone.`);
  });
}
