// Errors that our own SQL functions raise, by their SQLSTATE.
export const sqlErrorCodes = {
  /** Another attempt took an Idempotency-Key over, or the sweep completed what it was making. */
  attemptOver: 'PL001',
  /** A row is no longer in the state that was decided on. */
  statusChanged: 'PL002',
  /** A tax document was issued meanwhile. */
  documentIssued: 'PL003',
  /** A request cannot be done; the message is the reason's name (`app.raise_domain_error`). */
  domainError: 'PL400',
  /** A request with an Idempotency-Key was answered already. */
  alreadyAnswered: 'PL208',
  /** Another request with this Idempotency-Key is running. */
  keyInUse: 'PL409',
  /** An Idempotency-Key belongs to another request. */
  keyReused: 'PL422',
  /** An atomic batch is undone; caught where it is raised. */
  batchRejected: 'PL424',
  /** A record has none of the versions that `If-Match` names. */
  preconditionFailed: 'PL412',
  /** A webhook has events whose data the caller may not read; the detail lists them. */
  eventsNotReadable: 'PL403',
  /** An invitation is not mailed again yet; the message says why, the detail for how many seconds. */
  mailTooSoon: 'PL429',
  /** The OAuth client of a request was revoked. */
  clientRevoked: 'PL401',
  /** Its tenant used more requests than the plan allows, which the detail says. */
  rateLimited: 'PL430',
} as const;

/** An error of the database, as far as it is read here. */
interface DatabaseError extends Error {
  code: string;
  detail?: string;
  constraint?: string;
}

const isDatabaseError = (error: unknown): error is DatabaseError =>
  error instanceof Error && 'code' in error && typeof error.code === 'string';

/** Whether an error is one of those above. */
export function isSqlError(error: unknown, name: keyof typeof sqlErrorCodes): error is DatabaseError {
  return isDatabaseError(error) && error.code === sqlErrorCodes[name];
}

/** Whether it is a row that Postgres will not take: SQLSTATE 22 (what it holds) or 23 (a constraint). */
export const isRowRejected = (error: unknown): boolean => isDatabaseError(error) && /^2[23]/.test(error.code);

/** The constraint that a row broke; undefined for other errors. */
export function brokenConstraint(error: unknown): string | undefined {
  return isDatabaseError(error) ? error.constraint : undefined;
}
