// The one table of errors, and the type that domains throw. How an error looks to a caller: `request/error-formats.ts`.

/**
 * Status, title and the names of each error. `envelope` is the code of activity sync and records, `problem` that of
 * payments; where payments answers another status, it stands beside its code. `oauth` is the name that RFC 6749 or
 * RFC 8707 gives it at the token endpoint; an error without one has the name of payments there.
 */
export const errorTable = {
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
  unsupported_grant_type: {
    status: 400,
    title: 'Unsupported grant type',
    envelope: 'VALIDATION_ERROR',
    problem: 'unsupported_grant_type',
  },
  invalid_scope: {
    status: 400,
    title: 'Invalid scope',
    envelope: 'VALIDATION_ERROR',
    problem: 'invalid_scope',
  },
  invalid_target: {
    status: 400,
    title: 'Invalid target',
    envelope: 'VALIDATION_ERROR',
    problem: 'invalid_target',
  },
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    envelope: 'UNAUTHORIZED',
    problem: 'unauthorized',
    oauth: 'invalid_client',
  },
  insufficient_scope: {
    status: 403,
    title: 'Forbidden',
    envelope: 'FORBIDDEN',
    problem: 'insufficient_scope',
  },
  not_found: { status: 404, title: 'Not found', envelope: 'NOT_FOUND', problem: 'not_found' },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    envelope: 'METHOD_NOT_ALLOWED',
    problem: 'method_not_allowed',
  },
  conflict: { status: 409, title: 'Conflict', envelope: 'CONFLICT', problem: 'conflict' },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    envelope: 'IDEMPOTENCY_KEY_REUSED',
    problem: 'idempotency_key_reused',
    problemStatus: 409,
  },
  idempotency_key_in_use: {
    status: 409,
    title: 'Idempotency key in use',
    envelope: 'IDEMPOTENCY_KEY_IN_USE',
    problem: 'idempotency_key_in_use',
  },
  cancellation_window_expired: {
    status: 409,
    title: 'Cancellation window expired',
    envelope: 'CONFLICT',
    problem: 'cancellation_window_expired',
  },
  invoice_not_cancelable: {
    status: 409,
    title: 'Invoice not cancelable',
    envelope: 'CONFLICT',
    problem: 'invoice_not_cancelable',
  },
  invoice_not_payable: {
    status: 409,
    title: 'Invoice not payable',
    envelope: 'CONFLICT',
    problem: 'invoice_not_payable',
  },
  payout_not_cancelable: {
    status: 409,
    title: 'Payout not cancelable',
    envelope: 'CONFLICT',
    problem: 'payout_not_cancelable',
  },
  tax_document_exists: {
    status: 409,
    title: 'Tax document exists',
    envelope: 'CONFLICT',
    problem: 'tax_document_exists',
  },
  tax_document_not_cancelable: {
    status: 409,
    title: 'Tax document not cancelable',
    envelope: 'CONFLICT',
    problem: 'tax_document_not_cancelable',
  },
  cursor_expired: {
    status: 410,
    title: 'Cursor expired',
    envelope: 'CURSOR_EXPIRED',
    problem: 'cursor_expired',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    envelope: 'REQUEST_TIMEOUT',
    problem: 'request_timeout',
  },
  precondition_failed: {
    status: 412,
    title: 'Precondition failed',
    envelope: 'PRECONDITION_FAILED',
    problem: 'precondition_failed',
  },
  payload_too_large: {
    status: 413,
    title: 'Payload too large',
    envelope: 'PAYLOAD_TOO_LARGE',
    problem: 'payload_too_large',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    envelope: 'UNSUPPORTED_MEDIA_TYPE',
    problem: 'unsupported_media_type',
  },
  unprocessable: {
    status: 422,
    title: 'Unprocessable',
    envelope: 'UNPROCESSABLE_ENTITY',
    problem: 'validation_error',
  },
  batch_rejected: {
    status: 422,
    title: 'Batch rejected',
    envelope: 'BATCH_REJECTED',
    problem: 'batch_rejected',
  },
  user_limit_reached: {
    status: 422,
    title: 'User limit reached',
    envelope: 'USER_LIMIT_REACHED',
    problem: 'user_limit_reached',
  },
  unknown_cost_center: {
    status: 422,
    title: 'Unknown cost center',
    envelope: 'UNPROCESSABLE_ENTITY',
    problem: 'unknown_cost_center',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    envelope: 'RATE_LIMITED',
    problem: 'rate_limited',
    oauth: 'temporarily_unavailable',
  },
  server_error: { status: 500, title: 'Internal error', envelope: 'SERVER_ERROR', problem: 'server_error' },
  provider_not_configured: {
    status: 501,
    title: 'Provider not configured',
    envelope: 'SERVER_ERROR',
    problem: 'provider_not_configured',
  },
  provider_error: {
    status: 502,
    title: 'Provider error',
    envelope: 'SERVER_ERROR',
    problem: 'provider_error',
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    envelope: 'SERVER_ERROR',
    problem: 'server_error',
    oauth: 'temporarily_unavailable',
  },
} as const;

export type ErrorCode = keyof typeof errorTable;

/** One thing wrong with what was sent. `index` is the 0-based place in a batch. */
export interface ErrorDetail {
  index?: number;
  field: string;
  message: string;
}

/** What a request that ended with a 503 may have changed: `unknown` where the answer to a commit may have been lost. */
export type Effect = 'none' | 'unknown';

export interface ErrorOptions {
  details?: ErrorDetail[];
  /** Of `unavailable`; `unknown` where nothing is said. */
  effect?: Effect;
  /** Seconds until it makes sense to try again. */
  retryAfterSeconds?: number;
  /** More members of the error, where the contract knows them. */
  extra?: Readonly<Record<string, string | boolean | object>>;
  /** Headers of the answer beside the usual ones. */
  headers?: Readonly<Record<string, string>>;
  /** Parameters of `WWW-Authenticate`, where there is more to say than which scheme is asked for. */
  challenge?: Readonly<Record<string, string>>;
  /** For the request log alone: why it was refused. Never sent. */
  reason?: string;
  cause?: unknown;
}

/** An error that a caller is meant to see. `message` is sent as it is: a sentence that says what to do. */
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
  }
}

/** What the work gives, or the error that it throws for the caller. Throws any other. */
export function valueOrApiError<T>(work: () => T): T | ApiError {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** The 403 of a caller that lacks a scope; any one of `scopes` would do, or all are needed (RFC 6750, section 3.1). */
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
