// Errors are classes by their code. None holds a key, secret or header.

export interface Fault {
  field: string;
  message: string;
  /** Place in the list that was sent, from 0 (activity sync). */
  index?: number;
}

export interface ErrorDetails {
  /** As the API says it, or `connection_failed`, `timeout`, `invalid_options`, `invalid_answer`. */
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
  results?: unknown[] | undefined;
  cause?: unknown;
}

/** Faults that a message names; `fields` has all of them. */
const NAMED = 5;

/** What was said, and the first faults: a log that keeps nothing but the message still says what to mend. */
function withFaults(said: string, fields: readonly Fault[]): string {
  if (fields.length === 0) return said;
  const named = fields.slice(0, NAMED).map(({ index, field, message }) => {
    return `${index === undefined ? '' : `[${index}].`}${field}: ${message}`;
  });
  const more = fields.length > NAMED ? ` and ${fields.length - NAMED} more` : '';
  return `${said} (${named.join('; ')}${more})`;
}

/** What every error of this package is. Its message has the first of `fields`. */
export class PlacarError extends Error {
  readonly #said: string;
  readonly code: string;
  /** Status of the answer; undefined when there was none. */
  readonly status: number | undefined;
  /** Quote it when you ask for help; the request log has it. */
  readonly requestId: string | undefined;
  /** What is wrong, field by field. */
  readonly fields: readonly Fault[];
  /** Seconds to wait before the next try. */
  readonly retryAfter: number | undefined;
  /** Of a 503: `none` where nothing was done, `unknown` where nobody knows. */
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

/** An option of the client is missing or wrong. */
export class OptionsError extends PlacarError {}
/** No answer came: the network, or the other side hung up. */
export class ConnectionError extends PlacarError {}
/** No whole answer came within `timeoutMs`. */
export class TimeoutError extends PlacarError {}
/** The request alone shows that it is wrong (400, 422): `fields` says where. */
export class ValidationError extends PlacarError {}
/** Well-formed, and impossible as things are (422). */
export class UnprocessableError extends PlacarError {}
/** Key, signature, client or token is not good (401). */
export class AuthenticationError extends PlacarError {}
/** A scope is missing (403). */
export class PermissionError extends PlacarError {}
/** Not there, or another tenant's (404). */
export class NotFoundError extends PlacarError {
  /** The lead that this one became a part of. */
  readonly mergedInto: string | undefined;
  constructor(message: string, details: ErrorDetails) {
    super(message, details);
    this.mergedInto = details.mergedInto;
  }
}
/** Events after this cursor are no longer kept (410). */
export class CursorExpiredError extends PlacarError {}
/** It clashes with what is there (409). */
export class ConflictError extends PlacarError {
  /** The lead that has the e-mail already. */
  readonly existingId: string | undefined;
  constructor(message: string, details: ErrorDetails) {
    super(message, details);
    this.existingId = details.existingId;
  }
}
/** The record was changed meanwhile (412): `current` is the record as it is, `etag` its version. */
export class PreconditionFailedError extends PlacarError {
  readonly current: unknown;
  readonly etag: string | undefined;
  constructor(message: string, details: ErrorDetails) {
    super(message, details);
    this.current = details.current;
    this.etag = details.etag;
  }
}
/** An operation of an atomic batch is refused, so nothing was done (422): `results` says which. */
export class BatchRejectedError extends UnprocessableError {
  /** In the order of the operations: its status and error, or 424 for one that was not in the way. */
  readonly results: readonly { status: number; error?: { code: string; message: string } }[];
  constructor(message: string, details: ErrorDetails) {
    super(message, details);
    // As the document says.
    this.results = (details.results ?? []) as BatchRejectedError['results'];
  }
}
/** The Idempotency-Key belongs to another request, or to one that is under way (409). */
export class IdempotencyError extends ConflictError {}
/** Too many requests (429): `retryAfter` says how long to wait. */
export class RateLimitError extends PlacarError {}
/** The payment provider failed or refused (502), or is not connected (501). */
export class ProviderError extends PlacarError {
  /** Whether the same request may succeed yet, with the same Idempotency-Key. */
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
  422: UnprocessableError,
  429: RateLimitError,
};

/** The error for a code; for one that this version does not know, that of the status. */
export function errorOf(message: string, details: ErrorDetails): PlacarError {
  const status = details.status ?? 0;
  // A token endpoint that is too busy says 429 with a code that means 503 elsewhere.
  const Class =
    (status === 429 ? RateLimitError : BY_CODE[details.code.toLowerCase()]) ??
    BY_STATUS[status] ??
    (status >= 500 ? ServerError : PlacarError);
  return new Class(message, details);
}
