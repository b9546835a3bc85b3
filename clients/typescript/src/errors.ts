// Error classes, one per kind of error code. None contains a key, secret or header.

export interface Fault {
  field: string;
  message: string;
  /** Position in the list that was sent, from 0 (activity sync). */
  index?: number;
}

export interface ErrorDetails {
  /** The API's code, or `connection_failed`, `timeout`, `invalid_options`, `invalid_answer`. */
  code: string;
  status?: number | undefined;
  requestId?: string | undefined;
  fields?: Fault[] | undefined;
  retryAfter?: number | undefined;
  existingId?: string | undefined;
  mergedInto?: string | undefined;
  retryable?: boolean | undefined;
  effect?: string | undefined;
  current?: unknown;
  etag?: string | undefined;
  movedTo?: string | undefined;
  results?: unknown[] | undefined;
  cause?: unknown;
}

/** Number of faults in a message; `fields` has all of them. */
const NAMED = 5;

/** Appends the first faults, so that the message is useful in a log. */
function withFaults(said: string, fields: readonly Fault[]): string {
  if (fields.length === 0) return said;
  const named = fields.slice(0, NAMED).map(({ index, field, message }) => {
    return `${index === undefined ? '' : `[${index}].`}${field}: ${message}`;
  });
  const more = fields.length > NAMED ? ` and ${fields.length - NAMED} more` : '';
  return `${said} (${named.join('; ')}${more})`;
}

/** Base class of all errors of this package. The message includes the first `fields`. */
export class PlacarError extends Error {
  readonly #said: string;
  readonly code: string;
  /** Status of the response; undefined if there was none. */
  readonly status: number | undefined;
  /** Include it when you contact support: the request log contains it. */
  readonly requestId: string | undefined;
  /** What is wrong, by field. */
  readonly fields: readonly Fault[];
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | undefined;
  /** For a 503: `none` if the request had no effect, `unknown` if that is not known. */
  readonly effect: string | undefined;

  constructor(message: string, details: ErrorDetails) {
    const { cause, fields = [] } = details;
    super(withFaults(message, fields), cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.#said = message;
    this.code = details.code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.fields = fields;
    this.retryAfter = details.retryAfter;
    this.effect = details.effect;
  }

  /** The message without `fields`. */
  get said(): string {
    return this.#said;
  }

  toJSON(): Record<string, unknown> {
    const { name, message, code, status, requestId, fields, retryAfter } = this;
    return { name, message, code, status, requestId, fields, retryAfter };
  }
}

/** A client option is missing or invalid. */
export class OptionsError extends PlacarError {}
/** The connection failed before a response arrived. */
export class ConnectionError extends PlacarError {}
/** No complete response arrived within `timeoutMs`. */
export class TimeoutError extends PlacarError {}
/** The request is invalid (400, 422). `fields` has the details. */
export class ValidationError extends PlacarError {}
/** The request is valid, but not possible in the current state (422). */
export class UnprocessableError extends PlacarError {}
/** The key, signature, client or token is invalid (401). */
export class AuthenticationError extends PlacarError {}
/** A scope is missing (403). */
export class PermissionError extends PlacarError {}
/** The record does not exist, or belongs to another tenant (404). */
export class NotFoundError extends PlacarError {
  /** The lead that this lead was merged into. */
  readonly mergedInto: string | undefined;
  constructor(message: string, details: ErrorDetails) {
    super(message, details);
    this.mergedInto = details.mergedInto;
  }
}
/** The events after this cursor have expired (410). */
export class CursorExpiredError extends PlacarError {}
/** The request conflicts with the current state (409). */
export class ConflictError extends PlacarError {
  /** The lead that already has the email address. */
  readonly existingId: string | undefined;
  constructor(message: string, details: ErrorDetails) {
    super(message, details);
    this.existingId = details.existingId;
  }
}
/** The record has changed (412). `current` is its current state, `etag` its version. */
export class PreconditionFailedError extends PlacarError {
  readonly current: unknown;
  readonly etag: string | undefined;
  constructor(message: string, details: ErrorDetails) {
    super(message, details);
    this.current = details.current;
    this.etag = details.etag;
  }
}
/** An operation of an atomic batch was rejected, so none was executed (422). `results` has the details. */
export class BatchRejectedError extends UnprocessableError {
  /** In the order of the operations: status and error; 424 for operations that were not executed because of another one. */
  readonly results: readonly { status: number; error?: { code: string; message: string } }[];
  constructor(message: string, details: ErrorDetails) {
    super(message, details);
    // The shape is defined by the OpenAPI document.
    this.results = (details.results ?? []) as BatchRejectedError['results'];
  }
}
/** The Idempotency-Key belongs to another request, or to one in flight (409). */
export class IdempotencyError extends ConflictError {}
/** The workspace has moved to another project (421). Nothing was done. Create the client with `url: movedTo`, or set `followMoves`. */
export class TenantMovedError extends PlacarError {
  /** URL of the functions that serve the workspace now. Set by `errorOf`. */
  declare readonly movedTo: string | undefined;
}
/** Too many requests (429). `retryAfter` has the seconds to wait. */
export class RateLimitError extends PlacarError {}
/** The payment provider failed or rejected the request (502), or is not connected (501). */
export class ProviderError extends PlacarError {
  /** Whether a retry with the same Idempotency-Key may succeed. */
  readonly retryable: boolean;
  constructor(message: string, details: ErrorDetails) {
    super(message, details);
    this.retryable = details.retryable ?? false;
  }
}
/** The service failed (5xx). */
export class ServerError extends PlacarError {}

type ErrorClass = new (message: string, details: ErrorDetails) => PlacarError;

const BY_CODE: Record<string, ErrorClass> = {
  bad_request: ValidationError,
  validation_error: ValidationError,
  invalid_request: ValidationError,
  unauthorized: AuthenticationError,
  invalid_client: AuthenticationError,
  forbidden: PermissionError,
  insufficient_scope: PermissionError,
  invalid_scope: PermissionError,
  not_found: NotFoundError,
  cursor_expired: CursorExpiredError,
  unprocessable_entity: UnprocessableError,
  user_limit_reached: UnprocessableError,
  batch_rejected: BatchRejectedError,
  unknown_cost_center: UnprocessableError,
  idempotency_key_reused: IdempotencyError,
  idempotency_key_in_use: IdempotencyError,
  rate_limited: RateLimitError,
  provider_error: ProviderError,
  provider_not_configured: ProviderError,
  server_error: ServerError,
  temporarily_unavailable: ServerError,
};

const BY_STATUS: Record<number, ErrorClass> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: PreconditionFailedError,
  421: TenantMovedError,
  422: UnprocessableError,
  429: RateLimitError,
};

/** Creates the error for a code, or for the status if this version does not know the code. */
export function errorOf(message: string, details: ErrorDetails): PlacarError {
  const status = details.status ?? 0;
  // An overloaded token endpoint returns 429 with a code that means 503 elsewhere.
  const Class =
    (status === 429 ? RateLimitError : BY_CODE[details.code.toLowerCase()]) ??
    BY_STATUS[status] ??
    (status >= 500 ? ServerError : PlacarError);
  const { movedTo } = details;
  return Object.assign(new Class(message, details), movedTo && { movedTo });
}
