// Errors of accounts at CRMs that SQL raises with an argument.
import { ApiError, type ErrorDetail } from '../../platform/errors.ts';

/** The account, run or difference is in a state that does not allow the request. */
export const accountConflict = ({ message }: ErrorDetail): ApiError =>
  new ApiError('conflict', `The account ${message}.`, { reason: 'conflict' });

/** A difference that is not resolved by a choice. */
export const differenceConflict = ({ message }: ErrorDetail): ApiError =>
  new ApiError('conflict', `The difference ${message}.`, { reason: 'conflict' });
