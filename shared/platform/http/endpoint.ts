// Endpoints for integrators: authenticated, limited, documented. Each is data and one handler; what stands before the
// handler is the same for all and in one order: size (413), caller (401), scope (403), limit (429), body (408), media type (415),
// headers and JSON (400).

import type { Context as HonoContext } from 'hono';
import type { Actor, Context, EndpointAnswer, LoggedStatus } from '../access/context.ts';
import type { Caller, CallerSession, CallerVariables, Guard } from '../access/guard.ts';
import type { Scope } from '../access/scopes.ts';
import { waitUntil } from '../background.ts';
import type { Transaction } from '../db/database.ts';
import { DatabaseUnavailable, withUnknownOutcome } from '../db/unavailable.ts';
import type { ApiError } from '../errors.ts';
import { idempotencyKeyOf } from '../idempotency/key.ts';
import { selectNewJobsWith } from '../jobs/queries.ts';
import { collectNewJobs } from '../jobs/transaction-with-jobs.ts';
import type { Logger } from '../logger.ts';
import { Query } from '../query.ts';
import { type BodyVariables, checkMediaType, parseJsonObject } from '../request/body.ts';
import type { ErrorAnswer } from '../request/error-formats.ts';
import type { RequestContext, RequestVariables } from '../request/request-context.ts';
import { insertRequestLog, logEntryOf } from '../request-log/request-log.ts';
import { type App, refuseOtherMethods, type Service } from './app.ts';

/** Names of the parameters in a path: `id` in `/leads/:id`. */
type ParameterOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** Parts of a path by name. */
export type PathParameters<Path extends string> = Readonly<Record<ParameterOf<Path>, string>>;

/** A request that was let in. */
export interface EndpointRequest<Path extends string = string> {
  actor: Actor;
  requestContext: RequestContext;
  headers: Headers;
  params: PathParameters<Path>;
  query: Query;
  /** The JSON body; an empty object where there is none. */
  json: Record<string, unknown>;
  log: Logger;
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal;
  /** The context of the work whose success is answered with this status; what it writes is logged with it. */
  context(successStatus: number): Context;
}

export interface Endpoint<Path extends string = string> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below the function's name; empty for the function itself. */
  path: Path;
  /** What the caller must be allowed to do: any one of these. */
  scopes: readonly Scope[];
  body: 'required' | 'optional' | 'none';
  /** Its work asks somebody outside before it asks the database. */
  asksOutside?: true;
  /** Looks at the headers that this endpoint needs, after authentication and before the body. Throws 400. */
  checkHeaders?(headers: Headers): void;
  /** Whose Idempotency-Keys it takes; it takes none where this is absent. Its work must be one transaction. */
  keysOf?(request: Pick<EndpointRequest, 'actor' | 'headers'>): KeyOwner;
  /** Members of the answer's `data` that no replay under an Idempotency-Key shows. */
  shownOnce?: readonly string[];
  handle(request: EndpointRequest<Path>): Promise<EndpointAnswer>;
}

/** Whose an Idempotency-Key is. */
export interface KeyOwner {
  scope: string;
  /** What the answer depends on beside method, path and body. */
  others: string[];
}

/** Ties the names of the parameters to the path. */
export const endpoint = <const Path extends string>(it: Endpoint<Path>): Endpoint<Path> => it;

/** Endpoints by name: the `operationId` that they have in OpenAPI. */
export type Endpoints = Readonly<Record<string, Endpoint>>;

type Variables = RequestVariables & BodyVariables & CallerVariables;

/**
 * Mounts endpoints; each path answers 405 for the methods that it does not have. A path goes before those with a
 * parameter that it fits, so that it keeps its other methods from them.
 */
export function mountEndpoints(app: App, service: Service, guard: Guard, endpoints: Endpoints): void {
  const all = Object.values(endpoints);
  for (const path of new Set(all.map((one) => one.path))) {
    const full = `/${service.name}${path}`;
    const methods = all.filter((one) => one.path === path);
    for (const one of methods) {
      const { scopes, method, asksOutside = false } = one;
      const authorize = guard({ scopes, reads: method === 'get', asksOutside });
      app.on(method.toUpperCase(), full, authorize, (c: HonoContext) => serve(service, one, c));
    }
    refuseOtherMethods(
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
  const { body, checkHeaders, keysOf, handle } = endpoint;
  const { headers } = c.req.raw;
  if (body !== 'none') checkMediaType(c.req.raw, rawBody);
  checkHeaders?.(headers);
  const key = keysOf && idempotencyKeyOf(headers);
  const effects: Effects = { stored: false };
  const absent = body === 'none' || (body === 'optional' && rawBody.byteLength === 0);
  const work: Work = { session: caller.session, whenStored: (then) => then() };
  const request: EndpointRequest = {
    actor: caller.actor,
    requestContext,
    headers,
    params: withoutNul(c.req.param()),
    query: new Query(requestContext.target.slice(requestContext.path.length + 1)),
    json: absent ? {} : parseJsonObject(rawBody, service.members),
    log,
    // Only made where somebody asks for it.
    get signal() {
      return c.req.raw.signal;
    },
    context: (successStatus) =>
      createContext(service, requestContext, caller, { ...work, successStatus, effects }, log),
  };
  const answer = await (key && keysOf
    ? answerKeyed(service, endpoint, request, { key, ...keysOf(request) }, work)
    : handle(request)
  ).catch((error: unknown) => {
    throw sayWhatIsKnown(error, effects, service.whenUnsure);
  });
  return toResponse(answer, requestContext);
}

/** Answers a request with an Idempotency-Key. What its work stores is stored with the answer. */
async function answerKeyed(
  { errorFormat }: Service,
  { handle, shownOnce = [] }: Endpoint,
  request: EndpointRequest,
  { key, scope, others }: KeyOwner & { key: string },
  work: Work,
): Promise<EndpointAnswer> {
  const { requestContext, json } = request;
  const [{ answerOnce }, { fingerprintOf }] = await Promise.all([
    import('../idempotency/answer-once.ts'),
    import('../idempotency/key.ts'),
  ]);
  const { session } = work;
  const fingerprint = fingerprintOf(requestContext.method, requestContext.path, json, ...others);
  let refused: { error: ApiError; answer: ErrorAnswer } | undefined;
  const refusal = (error: ApiError) => {
    const answer = errorFormat(error, requestContext);
    refused = { error, answer };
    return { status: answer.status, body: answer.body, headers: error.headers ?? {} };
  };
  try {
    return await answerOnce({ scope, key, fingerprint }, { session, shownOnce, refusal }, async (held) => {
      work.session = { read: session.read, write: held.write };
      work.whenStored = (then) => held.whenStored(then);
      return await handle(request);
    });
  } catch (error) {
    if (refused && refused.error === error) requestContext.errorAnswer = refused.answer;
    throw error;
  }
}

/** What a request's work is done with. */
interface Work {
  session: CallerSession;
  /** Has something done once what it wrote is committed. */
  whenStored(then: () => void): void;
}

/** What a request did so far. */
interface Effects {
  /** Whether a transaction that writes was committed. */
  stored: boolean;
}

/** "Nothing was done" is said only where it is true of the request as a whole. */
function sayWhatIsKnown(error: unknown, { stored }: Effects, advice: string | undefined): unknown {
  if (!(error instanceof DatabaseUnavailable)) return error;
  return stored || error.effect === 'unknown' ? withUnknownOutcome(error, advice) : error;
}

/** Postgres cannot look for an id with a NUL character; nothing has one, as nothing has an empty one. */
function withoutNul(params: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, value.includes('\u0000') ? '' : value]),
  );
}

function toResponse({ status, body, headers }: EndpointAnswer, requestContext: RequestContext): Response {
  const { answerHeaders } = requestContext;
  requestContext.builtWith = answerHeaders;
  if (body === undefined) return new Response(null, { status, headers: { ...answerHeaders, ...headers } });
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...answerHeaders, ...headers },
  });
}

function createContext(
  { queue }: Service,
  requestContext: RequestContext,
  { tenantId, actor }: Caller,
  { session, whenStored, successStatus, effects }: Work & { successStatus: number; effects: Effects },
  log: Logger,
): Context {
  const { requestId } = requestContext;
  const write: Transaction = async (build) => {
    const rows = await session.write(build);
    whenStored(() => {
      effects.stored = true;
    });
    return rows;
  };
  return {
    tenantId,
    actor,
    requestId,
    log,
    read: (build) => session.read(build),
    checkpoint: write,
    async write(build, status: LoggedStatus = successStatus) {
      const { rows, jobs } = await collectNewJobs(
        write,
        build,
        // One statement for both, which comes after the work and sees the jobs that it caused.
        (sql) => {
          const known = typeof status === 'number' ? status : successStatus;
          const entry = logEntryOf(requestContext, known);
          return selectNewJobsWith(
            sql,
            insertRequestLog(sql, entry, typeof status === 'number' ? undefined : status(sql)),
          );
        },
      );
      whenStored(() => {
        requestContext.logged = true;
        if (queue && jobs.length > 0) waitUntil(() => queue.publish(jobs, log));
      });
      return rows;
    },
  };
}
