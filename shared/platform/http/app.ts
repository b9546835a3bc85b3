// The app that every edge function is: request ids, the order of checks, errors in the interface's style, the request
// log and the health check. A door adds its endpoints.
import type { RouteConfig } from '@hono/zod-openapi';
import { Hono, type Context as HonoContext } from 'hono';
import type { Caller, Guard } from '../auth/guard.ts';
import type { Actor, Context } from '../context.ts';
import type { Database } from '../db/database.ts';
import { ApiError } from '../errors.ts';
import { type Queue, wakesOf } from '../jobs/publish.ts';
import { newJobs } from '../jobs/queries.ts';
import { errorFields, type Logger } from '../logging/logger.ts';
import { createRequestLog, insertRequestLog, type RequestLogEntry } from '../logging/request-log.ts';
import { afterResponse } from '../wait-until.ts';
import { checkDeclaredSize, checkMediaType, parseJsonObject, readBody } from './body.ts';
import { type Rendering, toApiError } from './error-responses.ts';
import { type Call, startCall } from './request-context.ts';

/** What an endpoint answers with. No body means none is sent. */
export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface EndpointRequest {
  call: Call;
  headers: Headers;
  /** The raw body. */
  body: Uint8Array;
  log: Logger;
}

/** A request that was let in. */
export interface CallerRequest extends EndpointRequest {
  context: Context;
  /** The JSON body; an empty object where there is none. */
  json: Record<string, unknown>;
  /** Parts of the path, by name. */
  params: Record<string, string>;
  query: URLSearchParams;
}

interface EndpointBase {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** Below the function's name; empty for the function itself. */
  path: string;
}

/** An endpoint for integrators: authenticated, limited, documented. */
export interface Endpoint extends EndpointBase {
  scope: string;
  /** Status of its success, which the log row of a writing request holds. */
  successStatus: number | ((request: Omit<CallerRequest, 'context'> & { actor: Actor }) => number);
  body: 'required' | 'optional' | 'none';
  /** Looks at the headers that this endpoint needs, after authentication and before the body. Throws 400. */
  checkHeaders?(headers: Headers): void;
  /** What OpenAPI says of it; loaded when the documents are made and not when a function starts. */
  docs: () => Promise<EndpointDocs>;
  handle(request: CallerRequest): Promise<Answer>;
}

export type EndpointDocs = Omit<RouteConfig, 'method' | 'path'>;

export interface Service {
  /** Name of the edge function, the first segment of its paths. */
  name: string;
  rendering: Rendering;
  database: Database;
  log: Logger;
  /** Announces the jobs that writing requests order; absent where none do. */
  queue?: Queue;
  /** Must equal the environment that the database was set to. */
  environment: 'production' | 'staging';
  /** Looks at every call but the health check before it is answered; may set `call.answerHeaders`. Must not throw. */
  beforeAnswer?(call: Call, headers: Headers): Promise<void>;
}

type Vars = { Variables: { call: Call } };
export type App = Hono<Vars>;

/** Makes the app of a function with its health check. */
export function createApp(service: Service): App {
  const { name, rendering } = service;
  const app = new Hono<Vars>();
  const health = `/${name}/health`;
  const record = createRequestLog(service.database, service.log.with({ function: name }));

  app.use(async (c, next) => {
    const call = startCall(name, c.req.raw);
    c.set('call', call);
    await next();
    c.header('X-Request-Id', call.requestId);
    if (call.path !== health) await service.beforeAnswer?.(call, c.req.raw.headers);
    for (const [name, value] of Object.entries(call.answerHeaders ?? {})) c.header(name, value);
    if (call.path !== health) finish(service, record, call, c.res.status, c.error);
  });

  app.use(async (c, next) => {
    checkDeclaredSize(c.req.raw);
    await next();
  });

  const respond = (thrown: Error, c: HonoContext<Vars>): Response => {
    const call = c.get('call');
    const error = toApiError(thrown, call.requestId);
    const { status, contentType, body } = rendering(error, { requestId: call.requestId, path: call.path });
    const headers: Record<string, string> = { 'Content-Type': contentType };
    if (error.retryAfterSeconds !== undefined) headers['Retry-After'] = String(error.retryAfterSeconds);
    // Through the context, so that headers set before the error, such as Allow, stay.
    return c.body(JSON.stringify(body), status as 500, headers);
  };
  app.onError(respond);
  app.notFound((c) => respond(new ApiError('not_found', 'There is nothing at this address.'), c));

  app.get(health, async (c) => c.json(...(await checkHealth(service, c.get('call')))));
  refuseOtherMethods(app, health, ['GET', 'HEAD']);

  return app;
}

async function checkHealth(
  { database, environment, log }: Service,
  call: Call,
): Promise<[object, 200 | 503]> {
  try {
    const [row] = await database.lone((sql) => sql`select app.environment() as environment`);
    if (row?.environment === environment) return [{ status: 'ok' }, 200];
    const hint = 'set APP_ENV of the functions and admin.set_environment() of the database alike';
    log.error('APP_ENV differs from the environment of the database', { request_id: call.requestId, hint });
  } catch (error) {
    log.error('health check failed', { request_id: call.requestId, ...errorFields(error) });
  }
  return [{ status: 'unavailable' }, 503];
}

/** Answers 405 for the methods that a path does not have. */
export function refuseOtherMethods(app: App, path: string, methods: string[]): void {
  const allow = methods.join(', ');
  app.all(path, (c) => {
    c.header('Allow', allow);
    throw new ApiError('method_not_allowed', `This address takes ${allow} alone.`);
  });
}

/** After the answer: the log line, and the log row unless the work wrote it. */
function finish(
  service: Service,
  record: (entry: RequestLogEntry) => void,
  call: Call,
  status: number,
  thrown: Error | undefined,
): void {
  const log = service.log.with({ request_id: call.requestId, function: call.service });
  const reason = thrown instanceof ApiError ? thrown.reason : thrown && 'internal_error';
  const summary = { method: call.method, path: call.path, status, reason, duration_ms: call.elapsedMs() };
  if (status >= 500) log.error('request failed', { ...summary, ...errorFields(rootCause(thrown)) });
  else log.info('request', summary);
  if (!call.logged) record(entryOf(call, status, reason));
}

const rootCause = (error: Error | undefined): unknown => error?.cause ?? error;

function entryOf(call: Call, status: number, reason: string | undefined): RequestLogEntry {
  const { requestId, tenantId, apiKeyId, clientId, service, method, path, address } = call;
  return {
    requestId,
    tenantId,
    apiKeyId,
    clientId,
    service,
    method,
    path,
    status,
    reason,
    address,
    elapsedMs: call.elapsedMs(),
  };
}

/**
 * Adds endpoints for integrators; each path answers 405 for the methods it does not have. A path goes before those with a
 * parameter that it fits, so that it keeps its other methods from them.
 */
export function addEndpoints(app: App, service: Service, guard: Guard, endpoints: Endpoint[]): void {
  for (const path of new Set(endpoints.map((endpoint) => endpoint.path))) {
    const full = `/${service.name}${path}`;
    const methods = endpoints.filter((endpoint) => endpoint.path === path);
    for (const endpoint of methods) app.on(endpoint.method, full, (c) => serve(service, guard, endpoint, c));
    const allowed = methods.map(({ method }) => method.toUpperCase());
    refuseOtherMethods(app, full, allowed);
  }
}

/** The checks in their order: authentication, scope, limit (the guard), media type, body, then the work. */
async function serve(
  service: Service,
  guard: Guard,
  endpoint: Endpoint,
  c: HonoContext<Vars>,
): Promise<Response> {
  const call = c.get('call');
  const { headers } = c.req.raw;
  const log = service.log.with({ request_id: call.requestId, function: call.service });
  const params = knownParams(c.req.param());
  const body = await readBody(c.req.raw);
  const { scope, method } = endpoint;
  const caller = await guard({ call, headers, body, scope, reads: method === 'get', log });
  const work = async () => {
    if (endpoint.body !== 'none') checkMediaType(c.req.raw, body);
    endpoint.checkHeaders?.(headers);
    const absent = endpoint.body === 'none' || (endpoint.body === 'optional' && body.byteLength === 0);
    const json = absent ? {} : parseJsonObject(body);
    const query = new URLSearchParams(call.target.slice(call.path.length + 1));
    const request = { call, headers, body, log, json, params, query };
    const { successStatus } = endpoint;
    const status =
      typeof successStatus === 'number' ? successStatus : successStatus({ ...request, actor: caller.actor });
    return endpoint.handle({ ...request, context: createContext(service, call, caller, status, log) });
  };
  // Whether the caller may come in at all is said before anything is said of the request.
  return toResponse(await work().finally(() => caller.entrance?.settle()));
}

/** Postgres cannot look for an id with a NUL character; nothing has one, as nothing has an empty one. */
function knownParams(params: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, value.includes('\u0000') ? '' : value]),
  );
}

function toResponse({ status, body, headers }: Answer): Response {
  if (body === undefined) return new Response(null, { status, ...(headers && { headers }) });
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

function createContext(
  service: Service,
  call: Call,
  caller: Caller,
  successStatus: number,
  log: Logger,
): Context {
  const { database, queue } = service;
  const { tenantId, actor, origin, entrance } = caller;
  const session = { role: 'api', tenantId, origin } as const;
  return {
    tenantId,
    actor,
    requestId: call.requestId,
    log,
    transaction: (build) => (entrance ? entrance.transaction(build) : database.transaction(session, build)),
    async write(build) {
      const results = await database.transaction(session, (sql) => {
        const logged = insertRequestLog(sql, entryOf(call, successStatus, undefined));
        // One statement for both, which comes after the work and sees the jobs that it ordered.
        return [...build(sql), queue ? sql`with logged as (${logged}) ${newJobs(sql)}` : logged];
      });
      call.logged = true;
      const wakes = queue ? wakesOf(results.at(-1)) : [];
      if (wakes.length > 0) afterResponse(async () => queue?.wake(wakes, log));
      return results.slice(0, -1);
    },
  };
}
