// SQLSTATEs that our SQL functions raise.
export const sqlErrorCodes = {
  /** Another attempt took over the Idempotency-Key, or the sweep completed the attempt's order. */
  attemptOver: 'PL001',
  /** A row's status changed after it was read. */
  statusChanged: 'PL002',
  /** A tax document was issued in the meantime. */
  documentIssued: 'PL003',
  /** The readiness check stored a lead, and takes it back. */
  probed: 'PL299',
  /** A domain rule rejects the request. The message is the name of the reason (`app.raise_domain_error`). */
  domainError: 'PL400',
  /** The request with this Idempotency-Key already has a response. */
  alreadyAnswered: 'PL208',
  /** Another request with this Idempotency-Key is in progress. */
  keyInUse: 'PL409',
  /** The Idempotency-Key was used for a different request. */
  keyReused: 'PL422',
  /** Rolls back an atomic batch. Caught where it is raised. */
  batchRejected: 'PL424',
  /** The record's version matches none of those in `If-Match`. */
  preconditionFailed: 'PL412',
  /** A webhook subscribes to events whose data the caller may not read. The detail lists them. */
  eventsNotReadable: 'PL403',
  /** The client no longer has any of the scopes that the request needs. The detail lists them. */
  scopeMissing: 'PL433',
  /** Too many payouts that clients requested wait for approval. The detail is the limit. */
  tooManyRequestedPayouts: 'PL435',
  /** An invitation cannot be mailed again yet. The message is the reason, the detail the seconds to wait. */
  mailTooSoon: 'PL429',
  /** The request's OAuth client or token was revoked. The detail is the plan's limit. */
  clientRevoked: 'PL401',
  /** The client's tenant has moved to another project. The detail is its address. */
  tenantMoved: 'PL421',
  /** The tenant cannot write because it is being moved to another project. */
  tenantMoving: 'PL503',
  /** The tenant exceeded its plan's requests per minute. The detail is the limit. */
  rateLimited: 'PL430',
  /** Postgres' invalid_parameter_value: a function of the schema `admin` rejects an argument, which `column` names. */
  argumentRejected: '22023',
  /** Postgres' foreign_key_violation. */
  foreignKeyViolated: '23503',
} as const;

/** The properties of a database error that are used here. */
interface DatabaseError extends Error {
  code: string;
  detail?: string;
  constraint?: string;
  /** The argument that a function rejects. */
  column?: string;
}

const isDatabaseError = (error: unknown): error is DatabaseError =>
  error instanceof Error && 'code' in error && typeof error.code === 'string';

/** Whether an error has this SQLSTATE. */
export function isSqlError(error: unknown, name: keyof typeof sqlErrorCodes): error is DatabaseError {
  return isDatabaseError(error) && error.code === sqlErrorCodes[name];
}

/** Whether Postgres rejected a row: SQLSTATE class 22 (invalid data) or 23 (constraint violation). */
export const isRowRejected = (error: unknown): boolean => isDatabaseError(error) && /^2[23]/.test(error.code);

/** The constraint that a row violates; undefined for other errors. */
export function violatedConstraint(error: unknown): string | undefined {
  return isDatabaseError(error) ? error.constraint : undefined;
}
