// The four formats in which an error looks to a caller, over the one table of errors.
import { ApiError, errorTable } from '../errors.ts';

export interface ErrorAnswer {
  status: number;
  contentType: string;
  body: Record<string, unknown>;
}

/** What an error body may tell of the request. */
export interface FailedRequest {
  requestId: string;
  /** Path of the request without its query. */
  path: string;
}

/** Shapes an error as one interface's callers know it. */
export type ErrorFormat = (error: ApiError, request: FailedRequest) => ErrorAnswer;

const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';
const PROBLEM_BASE = 'https://placar.dev/problems/';

/** Activity sync: `{error: {code, message, details?, retry_after?}}`. */
export const activityErrorFormat: ErrorFormat = (error) => {
  const { status, envelope } = errorTable[error.code];
  const { message, details, retryAfterSeconds } = error;
  const body = {
    error: {
      code: envelope,
      message,
      ...(details && { details }),
      ...(retryAfterSeconds !== undefined && { retry_after: retryAfterSeconds }),
    },
  };
  return { status, contentType: JSON_TYPE, body };
};

/** Most details of a problem; one with more says so. */
export const MAX_PROBLEM_ERRORS = 100;

/** Payments: problem details of RFC 9457, with `code`, `request_id` and, for validation, `errors`. */
export const problemErrorFormat: ErrorFormat = (error, { requestId, path }) => {
  const row = errorTable[error.code];
  const { details } = error;
  const errors = details?.slice(0, MAX_PROBLEM_ERRORS).map(({ field, message }) => ({ field, message }));
  const status = 'problemStatus' in row ? row.problemStatus : row.status;
  const body = {
    type: `${PROBLEM_BASE}${row.problem}`,
    title: row.title,
    status,
    detail: error.message,
    instance: path,
    code: row.problem,
    request_id: requestId,
    ...(errors && { errors }),
    ...(details && details.length > MAX_PROBLEM_ERRORS && { details_truncated: true }),
    ...error.extra,
  };
  return { status, contentType: PROBLEM_TYPE, body };
};

/** Records: `{error: {code, message, details}, meta: {request_id, timestamp}}`. */
export const recordsErrorFormat: ErrorFormat = (error, { requestId }) => {
  const { status, envelope } = errorTable[error.code];
  const details = (error.details ?? []).map(({ field, message }) => ({ field, message }));
  const body = {
    error: { code: envelope, message: error.message, details, ...error.extra },
    meta: metaOf(requestId),
  };
  return { status, contentType: JSON_TYPE, body };
};

/** The token endpoint: `{error, error_description}` of RFC 6749, section 5.2. */
export const oauthErrorFormat: ErrorFormat = (error) => {
  const row = errorTable[error.code];
  const name = 'oauth' in row ? row.oauth : row.problem;
  return {
    status: row.status,
    contentType: JSON_TYPE,
    body: { error: name, error_description: error.message },
  };
};

/** `meta` of the two enveloped interfaces; the timestamp is UTC with milliseconds. */
export function metaOf(requestId: string): { request_id: string; timestamp: string } {
  return { request_id: requestId, timestamp: new Date().toISOString() };
}

/** What any thrown thing becomes for a caller: itself when it was meant for one, else an error that tells nothing. */
export function toApiError(thrown: unknown, requestId: string): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const message = `An internal error occurred. Retry with backoff; if it persists, quote request ${requestId}.`;
  return new ApiError('server_error', message, { cause: thrown, reason: 'internal_error' });
}
