// Formats errors for callers: one format for each interface and one for the token endpoint.
import { SITE } from '../documentation.ts';
import { ApiError, type ErrorDetail, errorTable } from '../errors.ts';

export interface ErrorResponse {
  status: number;
  contentType: string;
  body: Record<string, unknown>;
}

/** The properties of a request that error bodies contain. */
interface FailedRequest {
  requestId: string;
  /** Path of the request without the query. */
  path: string;
  /** The id of the request's JSON-RPC message. */
  messageId?: string | number;
}

/** Formats an error for the callers of one interface. */
export type ErrorFormat = (error: ApiError, request: FailedRequest) => ErrorResponse;

const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';
const PROBLEM_BASE = `${SITE}/problems/`;

/** Maximum details in a response, and maximum length of a field name in them. Both limit how much of a caller's input is returned. */
export const MAX_DETAILS = 100;
const MAX_FIELD_LENGTH = 200;

/** Returns the first details, and whether there are more. */
function boundedDetails(all: readonly ErrorDetail[]) {
  const details = all.slice(0, MAX_DETAILS).map(({ field, message }) => ({
    field: field.slice(0, MAX_FIELD_LENGTH),
    message,
  }));
  return { details, truncated: all.length > MAX_DETAILS && { details_truncated: true } };
}

/** The member `effect` of a 503. */
const effectOf = ({ code, effect }: ApiError) => code === 'unavailable' && { effect };

/** Activity sync: `{error: {code, message, details?, retry_after?, effect?}}`. Lists all faults. */
export const activityErrorFormat: ErrorFormat = (error) => {
  const { status, envelope } = errorTable[error.code];
  const { message, details, retryAfterSeconds } = error;
  const body = {
    error: {
      code: envelope,
      message,
      ...(details && { details }),
      ...(retryAfterSeconds !== undefined && { retry_after: retryAfterSeconds }),
      ...effectOf(error),
      ...error.extra,
    },
  };
  return { status, contentType: JSON_TYPE, body };
};

/** Payments: problem details (RFC 9457) with `code`, `request_id` and, for validation errors, `errors`. */
export const problemErrorFormat: ErrorFormat = (error, { requestId, path }) => {
  const { title, problem = error.code, problemStatus, ...row } = errorTable[error.code];
  const status = problemStatus ?? row.status;
  const { details, truncated } = boundedDetails(error.details ?? []);
  const body = {
    type: `${PROBLEM_BASE}${problem}`,
    title,
    status,
    detail: error.message,
    instance: path,
    code: problem,
    request_id: requestId,
    ...(error.details && { errors: details, ...truncated }),
    ...effectOf(error),
    ...error.extra,
  };
  return { status, contentType: PROBLEM_TYPE, body };
};

/** Records: `{error: {code, message, details}, meta: {request_id, timestamp}}`. */
export const recordsErrorFormat: ErrorFormat = (error, { requestId }) => {
  const { status, envelope } = errorTable[error.code];
  const { details, truncated } = boundedDetails(error.details ?? []);
  const body = {
    error: {
      code: envelope,
      message: error.message,
      details,
      ...truncated,
      ...effectOf(error),
      ...error.extra,
    },
    meta: metaOf(requestId),
  };
  return { status, contentType: JSON_TYPE, body };
};

/** The token endpoint: `{error, error_description}` of RFC 6749, section 5.2. */
export const oauthErrorFormat: ErrorFormat = (error) => {
  const { status, problem = error.code, oauth = problem } = errorTable[error.code];
  const body = { error: oauth, error_description: error.message, ...error.extra };
  return { status, contentType: JSON_TYPE, body };
};

/** The member `meta` of activity sync and records. The timestamp is UTC with milliseconds. */
export function metaOf(requestId: string): { request_id: string; timestamp: string } {
  return { request_id: requestId, timestamp: new Date().toISOString() };
}

/** Returns an `ApiError` unchanged. Converts anything else to an error that reveals only the request id. */
export function toApiError(thrown: unknown, requestId: string): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const message = `An internal error occurred. Retry with backoff. If it persists, report it with request ID ${requestId}.`;
  return new ApiError('server_error', message, { cause: thrown, reason: 'internal_error' });
}

const REALM = 'placar';

/** Parameters of a challenge in addition to the realm, such as `error` and `scope` (RFC 6750). */
export type ChallengeParameters = Readonly<Record<string, string>>;

/** Returns one challenge per scheme, all with the same parameters. Values must not contain quotes. */
export function challengeHeader(
  schemes: readonly string[],
  parameters: ChallengeParameters = {},
  common: ChallengeParameters = { realm: REALM },
): string {
  const all = Object.entries({ ...common, ...parameters }).map(([name, value]) => `${name}="${value}"`);
  return schemes.map((scheme) => `${scheme} ${all.join(', ')}`).join(', ');
}
