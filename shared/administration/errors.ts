// Maps database errors of administration to API errors. A reason is the name that `app.raise_domain_error` raises, and its detail has the
// values of the sentence.
import { isSqlError, violatedConstraint } from '../platform/db/sql-errors.ts';
import { ApiError, type ErrorDetail, invalid, UNPROCESSABLE_MESSAGE } from '../platform/errors.ts';
import { fieldError, type ReasonDetail, reasons, stateConflict } from './reasons.ts';

/** The error of a reason. */
export function adminError(reason: string, detail: ReasonDetail = {}): ApiError {
  const error = reasons[reason]?.(detail);
  if (!error) throw new Error(`Unknown reason ${reason}.`);
  return error;
}

/** How an operation reports errors that do not say it themselves. */
export interface ErrorContext {
  /** The kind of the record that is written. */
  kind?: string;
  /** The error of an argument that SQL rejects. Default: `unprocessable`. */
  onArgument?: (argument: ErrorDetail, reason: string | undefined) => ApiError;
}

/** The 400 for an argument that is invalid in itself. */
export const invalidArgument = ({ field, message }: ErrorDetail): ApiError =>
  invalid('field', field, message, 'validation');

const unfitArgument = (argument: ErrorDetail): ApiError =>
  new ApiError('unprocessable', UNPROCESSABLE_MESSAGE, {
    details: argument.field ? [argument] : [],
    reason: 'unprocessable',
  });

/** The `ApiError` for a known database error; other errors are returned unchanged. */
function asAdminError(error: unknown, { kind = '', onArgument = unfitArgument }: ErrorContext): unknown {
  if (isSqlError(error, 'domainError')) {
    return reasons[error.message]?.(JSON.parse(error.detail ?? '{}') as ReasonDetail) ?? error;
  }
  if (isSqlError(error, 'argumentRejected')) {
    // The message begins with the name of the argument.
    const { column: field = '', message, constraint } = error;
    return onArgument({ field, message: message.slice(field.length + 2) }, constraint);
  }
  if (violatedConstraint(error) === 'name_taken') {
    const { detail: existing_id } = error as { detail?: string };
    return fieldError('conflict', `Another ${kind} has this name.`, 'name', 'is taken', { existing_id });
  }
  if (isSqlError(error, 'foreignKeyViolated')) return reasons[`${kind}_in_use`]?.({}) ?? error;
  return error;
}

const conflictOf =
  (what: string) =>
  ({ message }: ErrorDetail): ApiError =>
    new ApiError('conflict', `The ${what} ${message}.`, { reason: 'conflict' });

/** An account at a CRM, a run or a difference is in a state that does not allow the request. */
export const accountConflict = conflictOf('account');

/** A difference that is not resolved by a choice. */
export const differenceConflict = conflictOf('difference');

/** The error of a key that is being rotated. */
export const keyRotating = (argument: ErrorDetail, reason: string | undefined): ApiError =>
  reason === 'key_rotating' ? stateConflict(`${argument.message}.`, 'rotated') : unfitArgument(argument);

/** The error of a key that another account uses. `field` is the member with the key. */
export const keyTaken =
  (field: string) =>
  (argument: ErrorDetail, reason: string | undefined): ApiError =>
    reason === 'key_taken'
      ? fieldError(
          'conflict',
          'Another account uses this key. Each account needs its own key.',
          field,
          'is used by another account',
        )
      : unfitArgument(argument);

/** Awaits database work and throws its known errors as `ApiError`. */
export const withAdminErrors = <T>(work: Promise<T>, context: ErrorContext = {}): Promise<T> =>
  work.catch((error: unknown) => {
    throw asAdminError(error, context);
  });
