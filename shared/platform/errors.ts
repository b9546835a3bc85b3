// All error codes, and the error class that domains throw. `request/error-formats.ts` formats errors for callers.
import type { z } from 'zod';
import type { DocumentationPage } from './documentation.ts';

interface ErrorRow {
  status: number;
  title: string;
  /** The code in activity sync and records. */
  envelope: string;
  /** The code in payments. Default: the error's own name. */
  problem?: string;
  /** The status in payments, if it differs. */
  problemStatus?: number;
  /** The name in RFC 6749 or RFC 8707, for the token endpoint. Default: that of payments. */
  oauth?: string;
}

const errors = {
  malformed_body: {
    status: 400,
    title: 'Malformed request',
    envelope: 'VALIDATION_ERROR',
    problem: 'bad_request',
    oauth: 'invalid_request',
  },
  validation: {
    status: 400,
    title: 'Invalid request',
    envelope: 'VALIDATION_ERROR',
    problem: 'validation_error',
    problemStatus: 422,
    oauth: 'invalid_request',
  },
  unsupported_grant_type: { status: 400, title: 'Unsupported grant type', envelope: 'VALIDATION_ERROR' },
  unsupported_response_type: {
    status: 400,
    title: 'Unsupported response type',
    envelope: 'VALIDATION_ERROR',
  },
  invalid_scope: { status: 400, title: 'Invalid scope', envelope: 'VALIDATION_ERROR' },
  invalid_target: { status: 400, title: 'Invalid target', envelope: 'VALIDATION_ERROR' },
  unauthorized: { status: 401, title: 'Unauthorized', envelope: 'UNAUTHORIZED', oauth: 'invalid_client' },
  insufficient_scope: { status: 403, title: 'Forbidden', envelope: 'FORBIDDEN' },
  origin_not_allowed: { status: 403, title: 'Origin not allowed', envelope: 'FORBIDDEN' },
  not_found: { status: 404, title: 'Not found', envelope: 'NOT_FOUND' },
  method_not_allowed: { status: 405, title: 'Method not allowed', envelope: 'METHOD_NOT_ALLOWED' },
  not_acceptable: { status: 406, title: 'Not acceptable', envelope: 'NOT_ACCEPTABLE' },
  conflict: { status: 409, title: 'Conflict', envelope: 'CONFLICT' },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    envelope: 'IDEMPOTENCY_KEY_REUSED',
    problemStatus: 409,
  },
  idempotency_key_in_use: {
    status: 409,
    title: 'Idempotency key in use',
    envelope: 'IDEMPOTENCY_KEY_IN_USE',
  },
  cancellation_window_expired: { status: 409, title: 'Cancellation window expired', envelope: 'CONFLICT' },
  invoice_not_cancelable: { status: 409, title: 'Invoice not cancelable', envelope: 'CONFLICT' },
  invoice_not_payable: { status: 409, title: 'Invoice not payable', envelope: 'CONFLICT' },
  invoice_not_refundable: { status: 409, title: 'Invoice not refundable', envelope: 'CONFLICT' },
  refund_window_expired: { status: 409, title: 'Refund window expired', envelope: 'CONFLICT' },
  insufficient_balance: { status: 409, title: 'Insufficient balance', envelope: 'CONFLICT' },
  payout_not_cancelable: { status: 409, title: 'Payout not cancelable', envelope: 'CONFLICT' },
  tax_document_exists: { status: 409, title: 'Tax document exists', envelope: 'CONFLICT' },
  tax_document_not_cancelable: { status: 409, title: 'Tax document not cancelable', envelope: 'CONFLICT' },
  cursor_expired: { status: 410, title: 'Cursor expired', envelope: 'CURSOR_EXPIRED' },
  request_timeout: { status: 408, title: 'Request timeout', envelope: 'REQUEST_TIMEOUT' },
  precondition_failed: { status: 412, title: 'Precondition failed', envelope: 'PRECONDITION_FAILED' },
  payload_too_large: { status: 413, title: 'Payload too large', envelope: 'PAYLOAD_TOO_LARGE' },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    envelope: 'UNSUPPORTED_MEDIA_TYPE',
  },
  tenant_moved: { status: 421, title: 'Tenant moved', envelope: 'TENANT_MOVED' },
  moved_permanently: { status: 308, title: 'Moved', envelope: 'MOVED_PERMANENTLY' },
  unprocessable: {
    status: 422,
    title: 'Unprocessable',
    envelope: 'UNPROCESSABLE_ENTITY',
    problem: 'validation_error',
  },
  batch_rejected: { status: 422, title: 'Batch rejected', envelope: 'BATCH_REJECTED' },
  user_limit_reached: { status: 422, title: 'User limit reached', envelope: 'USER_LIMIT_REACHED' },
  unknown_cost_center: { status: 422, title: 'Unknown cost center', envelope: 'UNPROCESSABLE_ENTITY' },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    envelope: 'RATE_LIMITED',
    oauth: 'temporarily_unavailable',
  },
  server_error: { status: 500, title: 'Internal error', envelope: 'SERVER_ERROR' },
  provider_not_configured: { status: 501, title: 'Provider not configured', envelope: 'SERVER_ERROR' },
  provider_error: { status: 502, title: 'Provider error', envelope: 'SERVER_ERROR' },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    envelope: 'SERVER_ERROR',
    problem: 'server_error',
    oauth: 'temporarily_unavailable',
  },
} satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errors;

/** Status, title and codes of each error. */
export const errorTable: Readonly<Record<ErrorCode, ErrorRow>> = errors;

/** The message of an `unprocessable` error whose details name the members. */
export const UNPROCESSABLE_MESSAGE = 'The request cannot be executed with these values.';

/** One fault of the request. `index` is the zero-based position in a batch. */
export interface ErrorDetail {
  index?: number;
  field: string;
  message: string;
}

/** Whether a request that failed with 503 may have had an effect: `unknown` if the response to a commit may have been lost. */
export type Effect = 'none' | 'unknown';

export interface ErrorOptions {
  details?: ErrorDetail[];
  /** Only for `unavailable`. Default: `unknown`. */
  effect?: Effect;
  /** Seconds after which the caller should retry. */
  retryAfterSeconds?: number;
  /** Additional documented members of the error. */
  extra?: Readonly<Record<string, string | boolean | object>>;
  /** Additional response headers. */
  headers?: Readonly<Record<string, string>>;
  /** Additional parameters of `WWW-Authenticate`. */
  challenge?: Readonly<Record<string, string>>;
  /** Why the request was rejected. Only for the request log, never sent. */
  reason?: string;
  /** The page that explains the error. The response's message ends with its address. */
  page?: DocumentationPage;
  cause?: unknown;
}

/** An error for the caller. `message` is sent unchanged: it says what is wrong, then what to do. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  readonly effect: Effect;
  readonly retryAfterSeconds: number | undefined;
  readonly extra: ErrorOptions['extra'];
  readonly headers: ErrorOptions['headers'];
  readonly challenge: Readonly<Record<string, string>> | undefined;
  readonly reason: string | undefined;
  readonly page: DocumentationPage | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.effect = options.effect ?? 'unknown';
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.extra = options.extra;
    this.headers = options.headers;
    this.challenge = options.challenge;
    this.reason = options.reason;
    this.page = options.page;
  }
}

/** Returns the result of `work`, or the `ApiError` that it throws. Rethrows other errors. */
export function valueOrApiError<T>(work: () => T): T | ApiError {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** How a 400 names the part of the request that is wrong. */
const parts = {
  header: 'this header',
  parameter: 'these query parameters',
  field: 'these fields',
  argument: 'these arguments',
};

/** A 400 for one member of a part of the request, and the rule that it violates. */
export const invalid = (
  part: keyof typeof parts,
  field: string,
  message: string,
  reason?: string,
): ApiError =>
  new ApiError('validation', `Fix ${parts[part]}.`, {
    details: [{ field, message }],
    ...(reason && { reason }),
  });

/** The 403 for a missing scope (RFC 6750, section 3.1): the caller needs any one of `scopes` (`or`), or all of them (`and`). */
export function insufficientScope(
  whose: string,
  scopes: readonly string[],
  conjunction: 'or' | 'and' = 'or',
): ApiError {
  const named = scopes.join(` ${conjunction} `);
  return new ApiError('insufficient_scope', `This ${whose} lacks the scope ${named}.`, {
    challenge: { error: 'insufficient_scope', scope: scopes.join(' ') },
    reason: 'insufficient_scope',
  });
}

/** Escapes the characters that Postgres cannot store, as JSON does. Callers choose the names of some members. */
const storable = (name: string): string =>
  name.replace(/[\0\p{Cs}]/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Returns the first fault of each field, with a dotted path, in the order of the schema. `root` is the field name for an empty path. */
export function issueDetails(error: z.ZodError, root: string): ErrorDetail[] {
  const details = new Map<string, ErrorDetail>();
  for (const issue of error.issues) {
    const field = issue.path.length > 0 ? storable(issue.path.join('.')) : root;
    if (!details.has(field)) details.set(field, { field, message: issue.message });
  }
  return [...details.values()];
}
