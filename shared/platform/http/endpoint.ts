// Endpoints for integrators. Each one is a description and a handler. The checks before the handler are the same for all endpoints and
// run in this order: size (413), caller (401), scope (403), body (408), media type (415), headers and JSON (400). API keys sign the body, so
// it is read before the scope, and the limit (429) comes after the scope. Tokens have their limit checked in the first transaction.

import type { Context as HonoContext } from 'hono';
import type { Actor, Context, EndpointResponse } from '../access/context.ts';
import type { AccessRule, Caller, CallerVariables, Guard } from '../access/guard.ts';
import { runSlice } from '../cpu-slices.ts';
import { DatabaseUnavailable, withUnknownOutcome } from '../db/unavailable.ts';
import type { ApiError } from '../errors.ts';
import { idempotencyKeyOf } from '../idempotency/key.ts';
import type { Logger } from '../logger.ts';
import { Query } from '../query.ts';
import {
  type BodyVariables,
  bodyTooLarge,
  checkMediaType,
  MAX_BODY_BYTES,
  type MemberLimits,
  parseJsonObject,
} from '../request/body.ts';
import type { ErrorResponse } from '../request/error-formats.ts';
import type { RequestContext, RequestVariables } from '../request/request-context.ts';
import { type App, rejectOtherMethods, type Service } from './app.ts';
import { createContext, type Effects, type RequestWork } from './create-context.ts';

/** Names of the parameters in a path, such as `id` in `/leads/:id`. */
type ParameterOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** Path parameters by name. */
export type PathParameters<Path extends string> = Readonly<Record<ParameterOf<Path>, string>>;

/** A request that passed all checks. */
export interface EndpointRequest<Path extends string = string> {
  actor: Actor;
  requestContext: RequestContext;
  headers: Headers;
  params: PathParameters<Path>;
  query: Query;
  /** The JSON body; an empty object if there is none. */
  json: Record<string, unknown>;
  log: Logger;
  /** Aborted when the caller disconnects. Created on first access. */
  readonly signal: AbortSignal;
  /** Creates the context for the work. Its completing transaction logs the request with `successStatus`. */
  context(successStatus: number): Context;
}

export interface Endpoint<Path extends string = string> extends Omit<AccessRule, 'reads'> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Relative to the function's name; empty for the function itself. */
  path: Path;
  body: 'required' | 'optional' | 'none';
  /** Default: the limit of all bodies. */
  maxBodyBytes?: number;
  /** Validates the endpoint's headers, after authentication and before the JSON body. Throws 400. */
  checkHeaders?(headers: Headers): void;
  /** Returns the owner of the request's Idempotency-Key. Without it the endpoint ignores the header. The work must be one transaction. */
  idempotencyKeyOwner?(request: Pick<EndpointRequest, 'actor' | 'headers'>): KeyOwner;
  /** Members of the response's `data` that are omitted when the response is replayed. */
  shownOnce?: readonly string[];
  handle(request: EndpointRequest<Path>): Promise<EndpointResponse>;
}

/** The namespace of an Idempotency-Key. */
interface KeyOwner {
  scope: string;
  /** Further inputs that determine the response, in addition to method, path and body. */
  others: string[];
}

/** Infers the types of the path parameters from the path. */
export const endpoint = <const Path extends string>(it: Endpoint<Path>): Endpoint<Path> => it;

/** Endpoints by their `operationId` in OpenAPI. */
export type Endpoints = Readonly<Record<string, Endpoint>>;

type Variables = RequestVariables & BodyVariables & CallerVariables;

/**
 * Mounts endpoints. Each path responds with 405 to methods that it does not support. List fixed paths before parameterized ones that
 * match them, such as `/users/me` before `/users/:id`. Otherwise a method that only the latter supports would reach the latter.
 */
export function mountEndpoints(app: App, service: Service, guard: Guard, endpoints: Endpoints): void {
  const all = Object.values(endpoints);
  for (const path of new Set(all.map((one) => one.path))) {
    const full = `/${service.name}${path}`;
    const methods = all.filter((one) => one.path === path);
    for (const one of methods) {
      const authorize = guard({ ...one, reads: one.method === 'get' });
      app.on(one.method.toUpperCase(), full, authorize, (c: HonoContext) => serve(service, one, c));
    }
    rejectOtherMethods(
      app,
      full,
      methods.map(({ method }) => method.toUpperCase()),
    );
  }
}

async function serve(
  service: Service,
  endpoint: Endpoint,
  c: HonoContext<{ Variables: Variables }>,
): Promise<Response> {
  const { requestContext, log, rawBody, caller } = c.var;
  const { body, maxBodyBytes = MAX_BODY_BYTES } = endpoint;
  const { headers } = c.req.raw;
  if (rawBody.byteLength > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
  if (body !== 'none') checkMediaType(c.req.raw, rawBody);
  endpoint.checkHeaders?.(headers);
  const key = endpoint.idempotencyKeyOwner && idempotencyKeyOf(headers);
  const absent = body === 'none' || (body === 'optional' && rawBody.byteLength === 0);
  const answer = await runEndpoint(service, endpoint, {
    caller,
    key,
    requestContext,
    headers,
    params: c.req.param(),
    query: new Query(requestContext.target.slice(requestContext.path.length + 1)),
    json: absent ? {} : await parseBody(rawBody, service.members),
    log,
    // A getter, because the signal is created on first access.
    get signal() {
      return c.req.raw.signal;
    },
  });
  return toResponse(answer);
}

/** A request whose caller is authenticated, authorized and counted, and whose body is parsed. */
interface EndpointCall extends Omit<EndpointRequest, 'actor' | 'context'> {
  caller: Caller;
  /** The Idempotency-Key. */
  key: string | undefined;
}

/** The parts of a service that endpoints use. */
type EndpointService = Pick<Service, 'queue' | 'errorFormat' | 'unknownOutcomeAdvice'>;

/** Runs an endpoint, once per Idempotency-Key. Checks neither scopes nor headers. */
export async function runEndpoint(
  service: EndpointService,
  endpoint: Endpoint,
  call: EndpointCall,
): Promise<EndpointResponse> {
  const { idempotencyKeyOwner, handle } = endpoint;
  const { caller, key, requestContext, headers, query, json, log } = call;
  const effects: Effects = { stored: false };
  const work: RequestWork = { session: caller.session, onCommit: (then) => then() };
  const request: EndpointRequest = {
    actor: caller.actor,
    requestContext,
    headers,
    params: withoutNul(call.params),
    query,
    json,
    log,
    get signal() {
      return call.signal;
    },
    context: (successStatus) =>
      createContext(service.queue, requestContext, caller, { ...work, successStatus, effects }, log),
  };
  return await (key && idempotencyKeyOwner
    ? respondKeyed(service, endpoint, request, { key, ...idempotencyKeyOwner(request) }, work)
    : handle(request)
  ).catch((error: unknown) => {
    throw withEffect(error, effects, service.unknownOutcomeAdvice);
  });
}

/** Parsing takes about 10 ms per MiB. */
const LARGE_BODY_BYTES = 256 * 1024;

function parseBody(body: Uint8Array, limits: MemberLimits | undefined) {
  const parse = () => parseJsonObject(body, limits);
  return body.byteLength < LARGE_BODY_BYTES ? parse() : runSlice(parse);
}

/** Serves a request with an Idempotency-Key. The response is stored in the same transaction as the changes. */
async function respondKeyed(
  { errorFormat }: EndpointService,
  { handle, shownOnce = [] }: Endpoint,
  request: EndpointRequest,
  { key, scope, others }: KeyOwner & { key: string },
  work: RequestWork,
): Promise<EndpointResponse> {
  const { requestContext, json } = request;
  const [{ respondOnce }, { fingerprintOf }] = await Promise.all([
    import('../idempotency/respond-once.ts'),
    import('../idempotency/key.ts'),
  ]);
  const { session } = work;
  const fingerprint = fingerprintOf(requestContext.method, requestContext.path, json, ...others);
  let rejected: { error: ApiError; answer: ErrorResponse } | undefined;
  const refusal = (error: ApiError) => {
    const answer = errorFormat(error, requestContext);
    rejected = { error, answer };
    return { status: answer.status, body: answer.body, headers: error.headers ?? {} };
  };
  try {
    return await respondOnce({ scope, key, fingerprint }, { session, shownOnce, refusal }, async (held) => {
      work.session = { read: session.read, write: held.write, recheck: () => session.recheck() };
      work.onCommit = (then) => held.onCommit(then);
      return await handle(request);
    });
  } catch (error) {
    if (rejected && rejected.error === error) requestContext.storedErrorResponse = rejected.answer;
    throw error;
  }
}

/** Makes sure that "Nothing was done" applies to the whole request and not only to its last transaction. */
function withEffect(error: unknown, { stored }: Effects, advice: string | undefined): unknown {
  if (!(error instanceof DatabaseUnavailable)) return error;
  return stored || error.effect === 'unknown' ? withUnknownOutcome(error, advice) : error;
}

/** Replaces parameters that contain NUL, which Postgres rejects, by the empty string, which matches no record. */
function withoutNul(params: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, value.includes('\u0000') ? '' : value]),
  );
}

function toResponse({ status, body, stream, headers = {} }: EndpointResponse): Response {
  if (body === undefined) return new Response(stream ?? null, { status, headers });
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}
