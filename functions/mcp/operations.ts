// Runs operations of other functions in this process, without an HTTP request.
import type { EndpointResponse } from '../../shared/platform/access/context.ts';
import { actorOf } from '../../shared/platform/access/require-token.ts';
import { ApiError, type ErrorCode, type ErrorDetail, errorTable } from '../../shared/platform/errors.ts';
import { type Endpoint, runEndpoint } from '../../shared/platform/http/endpoint.ts';
import { Query } from '../../shared/platform/query.ts';
import { recordsErrorFormat } from '../../shared/platform/request/error-formats.ts';
import { endpointOf, type OperationName } from './endpoints.ts';
import type { Call } from './messages.ts';
import { isObject } from './protocol.ts';

interface OperationInput {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, unknown>>;
  json?: Record<string, unknown>;
  /** The Idempotency-Key. */
  key?: string | undefined;
}

/** Runs an operation, and returns the body of its response. Throws its errors. */
export type RunOperation = (
  name: OperationName,
  input: OperationInput,
) => Promise<Readonly<Record<string, unknown>>>;

/** Operations that run for the sender of a message. */
export const runOperations =
  (call: Call): RunOperation =>
  async (name, input) => {
    const endpoint = await endpointOf(name);
    const answer = await run(call, endpoint, input);
    if (answer.status >= 400) throw replayedError(answer);
    return isObject(answer.body) ? answer.body : {};
  };

function run(
  { token, session, requestContext, log, signal, queue }: Call,
  endpoint: Endpoint,
  { params = {}, query = {}, json = {}, key }: OperationInput,
): Promise<EndpointResponse> {
  const { tenantId } = token;
  session.role = endpoint.administersAs ?? 'api';
  // A URL cannot contain a lone surrogate.
  const names = Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, value.toWellFormed()]),
  );
  // Uses the path of the API, so that a key identifies the same request in both.
  requestContext.path = `/v1${endpoint.path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(names[name] ?? ''))}`;
  const search = searchOf(query);
  requestContext.target = search === '' ? requestContext.path : `${requestContext.path}?${search}`;
  return runEndpoint({ queue, errorFormat: recordsErrorFormat }, endpoint, {
    caller: { tenantId, session, actor: actorOf({ ...token, variant: 'a' }) },
    key,
    requestContext,
    headers: new Headers(key === undefined ? {} : { 'Idempotency-Key': key }),
    params: names,
    query: new Query(search),
    json,
    log,
    signal,
  });
}

function searchOf(query: Readonly<Record<string, unknown>>): string {
  const sent = Object.entries(query).filter(([, value]) => value !== undefined);
  return new URLSearchParams(sent.map(([name, value]) => [name, String(value)])).toString();
}

/** The error of a replayed response, which is stored in the format of records. */
function replayedError({ status, body }: EndpointResponse): ApiError {
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const { code: envelope, message, details, ...extra } = error;
  // `Object.keys` returns `string[]`, and details are stored as they were formatted.
  const codes = Object.keys(errorTable) as ErrorCode[];
  const code = codes.find(
    (one) => errorTable[one].status === status && errorTable[one].envelope === envelope,
  );
  return new ApiError(code ?? 'unprocessable', String(message), {
    ...(Array.isArray(details) && { details: details as ErrorDetail[] }),
    extra: extra as Record<string, string>,
    reason: 'replayed',
  });
}
