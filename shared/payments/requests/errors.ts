// Errors that more than one resource of payments answers with; apart from the rules of fields, whose library takes long to load.
import { ApiError, type ErrorDetail } from '../../platform/errors.ts';

const names = {
  invoice: 'invoice',
  payout: 'payout',
  tax_document: 'tax document of this invoice',
  entry: 'ledger entry',
};

/** The same for what does not exist and what belongs to somebody else. */
export function notFound(what: keyof typeof names): ApiError {
  return new ApiError('not_found', `There is no such ${names[what]}.`, { reason: 'not_found' });
}

export function unknownCostCenter(code: string | undefined): ApiError {
  const message = `The cost center ${code ?? ''} is not registered.`;
  return new ApiError('unknown_cost_center', message, {
    details: [{ field: 'cost_center', message: 'is not registered' }],
  });
}

/** A municipality takes an issued tax document back for some time only. */
export function cancellationWindowExpired(): ApiError {
  const message = 'The time in which the municipality lets this tax document be canceled is over.';
  return new ApiError('cancellation_window_expired', message);
}

/** How many fields the sentence of a 422 names; `errors` has more of them. */
const MAX_NAMED_FIELDS = 20;

/** The 422 of a body with these faults. */
export function invalidFields(details: ErrorDetail[]): ApiError {
  const named = details.slice(0, MAX_NAMED_FIELDS).map(({ field }) => field);
  const fields = [...named, ...(details.length > named.length ? ['and others'] : [])].join(', ');
  const message = `Fix these fields and send the request with a fresh Idempotency-Key: ${fields}.`;
  return new ApiError('validation', message, { details });
}
