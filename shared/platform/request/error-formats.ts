// The four formats in which an error looks to a caller, over the one table of errors.
import { ApiError, type ErrorDetail, errorTable } from '../errors.ts';

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

/** Most details of an answer, and the longest name of a field in them: a caller sends both, and gets no more back. */
export const MAX_DETAILS = 100;
const MAX_FIELD_LENGTH = 200;

/** The first details, and whether there were more. */
function boundedDetails(all: readonly ErrorDetail[]) {
  const details = all.slice(0, MAX_DETAILS).map(({ field, message }) => ({
    field: field.slice(0, MAX_FIELD_LENGTH),
    message,
  }));
  return { details, truncated: all.length > MAX_DETAILS && { details_truncated: true } };
}

/** What a 503 says of its effect. */
const effectOf = ({ code, effect }: ApiError) => code === 'unavailable' && { effect };

/** Activity sync, which names every fault: `{error: {code, message, details?, retry_after?, effect?}}`. */
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
    },
  };
  return { status, contentType: JSON_TYPE, body };
};

/** Payments: problem details of RFC 9457, with `code`, `request_id` and, for validation, `errors`. */
export const problemErrorFormat: ErrorFormat = (error, { requestId, path }) => {
  const row = errorTable[error.code];
  const status = 'problemStatus' in row ? row.problemStatus : row.status;
  const { details, truncated } = boundedDetails(error.details ?? []);
  const body = {
    type: `${PROBLEM_BASE}${row.problem}`,
    title: row.title,
    status,
    detail: error.message,
    instance: path,
    code: row.problem,
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

const REALM = 'placar';

/** Parameters of a challenge beside the realm, such as `error` and `scope` of RFC 6750. */
export type ChallengeParameters = Readonly<Record<string, string>>;

/** One challenge for each scheme, all with the same parameters. Values are our own words, without quotes in them. */
export function challengeHeader(schemes: readonly string[], parameters: ChallengeParameters = {}): string {
  const all = Object.entries({ realm: REALM, ...parameters }).map(([name, value]) => `${name}="${value}"`);
  return schemes.map((scheme) => `${scheme} ${all.join(', ')}`).join(', ');
}
